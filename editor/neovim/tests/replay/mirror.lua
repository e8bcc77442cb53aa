-- What a host must show after each message that it was sent: a model of its own, made from rpc/PROTOCOL.md ("Keeping
-- the tool set") and from nothing that the client under test is made of.

local json = require('replay.raw_json')

local M = {}

---Event is what the host must tell, in the order of the wire.
---@class replay.Event
---@field event string
---@field payload any

---Mirror is what the host has: as it was sent, but for the states of tools.
---@class replay.Mirror: replay.Told
---@field exa_keys replay.Json[]
---@field info? replay.Json
---@field methods replay.Json[]
---@field gap boolean a push was missed: the host asks for tools/snapshot, once, and is in the gap until it is answered
local Mirror = {}
Mirror.__index = Mirror

---@return replay.Mirror
function M.new()
  local mirror = {
    revision = 0,
    hash = '',
    tools = {},
    servers = {},
    errors = {},
    exa_keys = {},
    methods = {},
    gap = false,
  }
  return setmetatable(mirror, Mirror)
end

---The events of the notifications that are passed on as they are.
local passed_on = {
  ['runtime/log'] = 'log',
  ['resources/changed'] = 'resources_changed',
  ['resources/updated'] = 'resource_updated',
  ['prompts/changed'] = 'prompts_changed',
  ['elicitation/complete'] = 'elicitation_complete',
}

local reasons = { ['runtime/configure'] = 'configure', ['mcp/reload'] = 'reload' }

local states = { live = 'live', cache = 'deferred' }

local function shown(values) return vim.tbl_map(json.shown, values) end

local function name_of(value) return json.string_at(value, 'name') end

local function names_of(values) return vim.tbl_map(name_of, values) end

local function by_name(values)
  local sorted = vim.list_slice(values)
  table.sort(sorted, function(a, b) return name_of(a) < name_of(b) end)
  return sorted
end

local function find(values, name)
  return vim.iter(values):find(function(value) return name_of(value) == name end)
end

local function number_at(value, name) return tonumber(value.members[name].text) end

---Whether a tool that was there is another one now. Its state alone makes no difference.
local function differs(before, now)
  local function stateless(tool) return json.shown(json.with(tool, 'state', nil)) end
  return before and not vim.deep_equal(stateless(before), stateless(now))
end

---The difference, with the set that it makes.
---@return replay.Event
function Mirror:change(difference)
  local set = { tools = shown(self.tools), revision = self.revision, hash = self.hash }
  return { event = 'tools_changed', payload = vim.tbl_extend('error', set, difference) }
end

---@param push replay.Json
---@return replay.Event[]
function Mirror:pushed(push)
  if number_at(push, 'revision') <= self.revision then return {} end
  if number_at(push, 'previousRevision') ~= self.revision then
    self.gap = true
    return {}
  end
  local given = push.members
  local tools = vim.list_extend(vim.list_slice(given.added.elements), given.updated.elements)
  local gone = vim.list_extend(names_of(tools), json.shown(given.removed))
  for _, tool in ipairs(self.tools) do
    if not vim.tbl_contains(gone, name_of(tool)) then table.insert(tools, tool) end
  end
  self.tools = by_name(tools)
  self.revision = number_at(push, 'revision')
  self.hash = json.string_at(push, 'hash')
  local difference = {}
  for _, name in ipairs({ 'added', 'updated', 'removed', 'servers', 'reason' }) do
    difference[name] = json.shown(given[name])
  end
  return { self:change(difference) }
end

---@param snapshot replay.Json
---@param reason string
---@return replay.Event[]
function Mirror:took(snapshot, reason)
  local revision, given = number_at(snapshot, 'revision'), snapshot.members
  if revision < self.revision then return {} end
  local tools, before = given.tools.elements, self.tools
  local added = vim.tbl_filter(function(tool) return not find(before, name_of(tool)) end, tools)
  local updated = vim.tbl_filter(function(tool) return differs(find(before, name_of(tool)), tool) end, tools)
  local removed = vim.tbl_filter(function(tool) return not find(tools, name_of(tool)) end, before)
  local changed = vim.iter({ added, updated, removed }):flatten():totable()
  if revision == self.revision and #changed > 0 then
    error(('the dialogue tells two sets of tools under revision %d'):format(revision), 0)
  end
  local first = self.revision == 0
  self.revision = revision
  self.hash = json.string_at(snapshot, 'hash')
  self.tools = by_name(tools)
  self.servers = by_name(given.servers.elements)
  self.errors = given.errors.elements
  self.exa_keys = given.exaApiKeys and given.exaApiKeys.elements or {}
  if first or #changed == 0 then return {} end
  local servers = {}
  for _, tool in ipairs(changed) do
    servers[json.string_at(tool, 'server')] = true
  end
  servers = vim.tbl_keys(servers)
  table.sort(servers)
  local difference = {
    added = shown(by_name(added)),
    updated = shown(by_name(updated)),
    removed = names_of(removed),
    servers = servers,
    reason = reason,
  }
  return { self:change(difference) }
end

---@param server replay.Json
---@return replay.Event[]
function Mirror:status(server)
  local name = name_of(server)
  local servers = vim.tbl_filter(function(other) return name_of(other) ~= name end, self.servers)
  if json.string_at(server, 'phase') ~= 'removed' then table.insert(servers, server) end
  self.servers = by_name(servers)
  local state = states[json.string_at(server.members.tools, 'from')]
  local function with_state(tool)
    if not state or json.string_at(tool, 'server') ~= name then return tool end
    return json.with(tool, 'state', json.quoted(state))
  end
  self.tools = vim.tbl_map(with_state, self.tools)
  return { { event = 'status', payload = json.shown(server) } }
end

---Takes a notification, and says what the host must tell its program.
---@param method string
---@param params replay.Json
---@return replay.Event[]
function Mirror:notified(method, params)
  if passed_on[method] then return { { event = passed_on[method], payload = json.shown(params) } } end
  if method == 'tools/changed' then return self:pushed(params) end
  if method == 'mcp/status' then return self:status(params) end
  if method ~= 'config/diagnostics' then return {} end
  self.errors = params.members.errors.elements
  return { { event = 'diagnostics', payload = shown(self.errors) } }
end

---Takes the answer to a request of the host's, and says what the host must tell its program.
---@param method string
---@param result replay.Json
---@return replay.Event[]
function Mirror:answered(method, result)
  if method == 'tools/snapshot' then
    local unchanged = result.members.unchanged
    if unchanged and unchanged.text == 'true' then return {} end
    return self:took(result, 'snapshot')
  end
  if method == 'runtime/initialize' then
    self.info = result.members.sidecar
    self.methods = result.members.methods.elements
  elseif not reasons[method] then
    return {}
  end
  return self:took(result.members.snapshot, reasons[method] or 'snapshot')
end

---What the client must show, by the names of its getters.
---@return table<string, any>
function Mirror:shown()
  local methods = shown(self.methods)
  return {
    tools = shown(self.tools),
    servers = shown(self.servers),
    errors = shown(self.errors),
    exa_api_keys = shown(self.exa_keys),
    revision = self.revision,
    hash = self.hash,
    info = self.info and json.shown(self.info),
    methods = methods,
    guest = self.info ~= nil and not vim.tbl_contains(methods, 'runtime/configure'),
  }
end

return M
