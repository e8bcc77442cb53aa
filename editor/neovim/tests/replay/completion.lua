-- Adds the members that the protocol requires and a pattern leaves out. conformance/README.md ("What the sidecar
-- says") has the rules.

local folder = require('replay.folder')
local json = require('replay.raw_json')

local M = {}

---Told is what the host has now, by the rule of PROTOCOL.md: what it was told last, if it was told in order.
---@class replay.Told
---@field revision integer
---@field hash string
---@field tools replay.Json[]
---@field servers replay.Json[]
---@field errors replay.Json[]

---rpc/schema.json, whose order of members is that in which the sidecar writes them.
---@type replay.Json
local protocol = json.read(folder.read('rpc/schema.json'))

local complete -- forward: types hold types

---The name of the type that a schema refers to, and the schema of that type.
local function resolved(schema)
  local name = (json.string_at(schema, '$ref') or ''):match('^#/%$defs/(.*)$')
  if not name then return schema end
  return protocol.members['$defs'].members[name] or error('rpc/schema.json has no ' .. name, 0), name
end

---The smallest value of a type. Any JSON is an object, too.
local function smallest(schema, told)
  local words = resolved(schema).members.enum
  local of_type = {
    string = words and words.elements[1].text or '""',
    integer = '0',
    number = '0',
    boolean = 'false',
    array = '[]',
  }
  return of_type[json.string_at(resolved(schema), 'type')] or complete(schema, json.read('{}'), told)
end

---@return string
local function name_of(value)
  return json.string_at(value, 'name')
    or error("a tool or server of the host's set must be named: " .. value.text, 0)
end

local function same_names(names, told)
  local function known(name)
    return vim.iter(told):any(function(other) return name_of(other) == name end)
  end
  return #names == #told and vim.iter(names):all(known)
end

---The members of what the host has under that name.
local function as_told(value, told)
  local name = json.string_at(value, 'name')
  for _, other in ipairs(told) do
    if name == name_of(other) then
      return vim.tbl_map(function(member) return member.text end, other.members)
    end
  end
  return {}
end

---What the types whose members mean more than their type says choose for a member.
---@type table<string, fun(value: replay.Json, told: replay.Told): table<string, string>>
local left_out = {
  InitializeResult = function() return { protocolVersion = '1' } end,
  Snapshot = function(value, told)
    local tools = value.members.tools
    local same = not tools or same_names(vim.tbl_map(name_of, tools.elements), told.tools)
    vim.tbl_map(name_of, value.members.servers and value.members.servers.elements or {})
    local revision = same and told.revision > 0 and told.revision or told.revision + 1
    if value.members.revision then revision = tonumber(value.members.revision.text) end
    return {
      revision = ('%d'):format(revision),
      hash = json.quoted(revision == told.revision and told.hash or ('%d'):format(revision)),
      tools = json.array(told.tools),
      servers = json.array(told.servers),
      errors = json.array(told.errors),
    }
  end,
  ToolsChanged = function(value, told)
    local given = value.members
    local previous = given.previousRevision and tonumber(given.previousRevision.text) or told.revision
    local revision = given.revision and given.revision.text or ('%d'):format(previous + 1)
    return { previousRevision = ('%d'):format(previous), revision = revision, hash = json.quoted(revision) }
  end,
  Tool = function(value, told)
    local server = name_of(value):match('^mcp_([^_]*)_')
    return vim.tbl_extend('force', { server = server and json.quoted(server) }, as_told(value, told.tools))
  end,
  Server = function(value, told) return as_told(value, told.servers) end,
}

---Members stand in the order of the schema; those it does not know come last.
local function complete_object(schema, value, told, chosen)
  local members = {}
  local properties = schema.members.properties or json.read('{}')
  local required = schema.members.required and json.shown(schema.members.required) or {}
  for _, name in ipairs(properties.names) do
    local inner, given = properties.members[name], value.members[name]
    if given then
      table.insert(members, { name, complete(inner, given, told) })
    elseif vim.tbl_contains(required, name) then
      table.insert(members, { name, chosen[name] or smallest(inner, told) })
    end
  end
  local others = schema.members.additionalProperties
  -- Where the schema allows any JSON, the text is kept byte for byte.
  if #members == 0 and not others then return value.text end
  for _, name in ipairs(value.names) do
    local given = value.members[name]
    if not properties.members[name] then
      table.insert(members, { name, others and complete(others, given, told) or given.text })
    end
  end
  return json.object(members)
end

function complete(schema, value, told)
  local definition, name = resolved(schema)
  local items = definition.members.items
  if value.kind == 'object' then
    local rule = left_out[name]
    return complete_object(definition, value, told, rule and rule(value, told) or {})
  end
  if value.kind == 'array' and items then
    local function completed(element) return complete(items, element, told) end
    return '[' .. table.concat(vim.tbl_map(completed, value.elements), ',') .. ']'
  end
  return value.text
end

---Completes the params of what the sidecar says. Those of an unknown method are left as they are.
---@param method string
---@param params replay.Json
---@param told replay.Told
---@return string
function M.params(method, params, told)
  local known = protocol.members.methods.members[method]
  if not known then return params.text end
  -- The record of a status is a server's own; without its name it would be about nobody.
  if method == 'mcp/status' and not params.members.name then error('a status must name its server', 0) end
  return complete(known.members.params, params, told)
end

---Completes the result of what the host asked.
---@param method string
---@param result replay.Json
---@param told replay.Told
---@return string
function M.result(method, result, told)
  local known = protocol.members.methods.members[method]
  if not known or not known.members.result then return result.text end
  -- A SnapshotAnswer is a Snapshot unless it says that nothing changed.
  local whole = method == 'tools/snapshot' and not result.members.unchanged
  return complete(whole and json.read('{"$ref":"#/$defs/Snapshot"}') or known.members.result, result, told)
end

---Completes an error.
---@param given replay.Json
---@return string
function M.error(given) return given.members.message and given.text or json.with(given, 'message', '""').text end

return M
