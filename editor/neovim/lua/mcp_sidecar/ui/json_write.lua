-- Writes JSON for people to read, and for what they typed: it never fails, and objects may be made of members that are
-- JSON text already and keep their order. What goes to the sidecar otherwise is written by json.lua.

local json = require('mcp_sidecar.json')
local utf8 = require('mcp_sidecar.utf8')

local M = {}

---string writes a string. A byte that is no text becomes the replacement character.
---@param text string
---@return string json
function M.string(text) return json.encode(utf8.well_formed(text)) end

---number writes a number with all its digits. What JSON cannot say becomes null.
---@param number number
---@return string text
function M.number(number)
  local ok, text = pcall(json.encode, number)
  return ok and text or 'null'
end

---object writes an object from members that are JSON text, in their order.
---@param members { name: string, json: string }[]
---@return string json
function M.object(members)
  local parts = {}
  for i, member in ipairs(members) do
    parts[i] = M.string(member.name) .. ':' .. member.json
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

local function is_array(value)
  if next(value) == nil then return getmetatable(value) ~= getmetatable(vim.empty_dict()) end
  return vim.islist(value)
end

---value writes a Lua value, tables by the rules of vim.json: an empty one is an array unless it is vim.empty_dict(),
---vim.NIL is null. Members are sorted by name. What is no JSON is left out of an object and null in an array.
---@param value any
---@param depth? integer how deep it lies
---@return string json
function M.value(value, depth)
  depth = depth or 0
  local kind = type(value)
  if kind == 'string' then return M.string(value) end
  if kind == 'number' then return M.number(value) end
  if kind == 'boolean' then return tostring(value) end
  -- A table may hold itself.
  if kind ~= 'table' or depth > 100 then return 'null' end
  if is_array(value) then
    local parts = {}
    for i, item in ipairs(value) do
      parts[i] = M.value(item, depth + 1)
    end
    return '[' .. table.concat(parts, ',') .. ']'
  end
  local members = {}
  for name, member in pairs(value) do
    if type(member) ~= 'function' then
      members[#members + 1] = { name = tostring(name), json = M.value(member, depth + 1) }
    end
  end
  table.sort(members, function(a, b) return a.name < b.name end)
  return M.object(members)
end

return M
