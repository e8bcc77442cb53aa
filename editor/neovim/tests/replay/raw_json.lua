-- JSON whose values keep the text they were written in: a pattern may ask for exact bytes, and numbers are compared
-- as they are written. Neovim's own JSON keeps neither, nor the order of members, nor (as the client uses it) null.

local M = {}

---Value is one JSON value. Members and elements are empty unless the kind has them; of equal names the last counts.
---@class replay.Json
---@field kind "object"|"array"|"string"|"number"|"boolean"|"null"
---@field text string as it was written, without white space around it
---@field names string[] the names of the members, in their order
---@field members table<string, replay.Json>
---@field elements replay.Json[]
---@field shown? any what the client makes of it, once somebody asked

---Reader goes through one text.
---@class replay.JsonReader
---@field text string
---@field at integer the next byte to read
local Reader = {}
Reader.__index = Reader

function Reader:fail() error(('no JSON at byte %d: %s'):format(self.at, self.text), 0) end

---Steps over what the pattern fits here, which must be more than nothing.
function Reader:take(pattern)
  local found = self.text:match('^' .. pattern, self.at)
  if not found or found == '' then self:fail() end
  self.at = self.at + #found
  return found
end

function Reader:space() self.at = self.text:match('^[ \t\r\n]*()', self.at) end

---Steps over the next byte that is no space, if it is this one.
function Reader:skip(byte)
  self:space()
  local found = self.text:sub(self.at, self.at) == byte
  if found then self.at = self.at + 1 end
  return found
end

local none = {}

local function scalar(kind, text)
  return { kind = kind, text = text, names = none, members = none, elements = none }
end

function Reader:string()
  local start = self.at
  self:take('"')
  repeat
    self.at = self.text:match('^[^"\\%c]*()', self.at)
    local escape = self.text:sub(self.at, self.at) == '\\'
    if escape then self:take('\\["\\/bfnrtu]') end
  until not escape
  self:take('"')
  return self.text:sub(start, self.at - 1)
end

function Reader:number()
  local start = self.at
  self.at = self.text:match('^%-?()', self.at)
  if not self.text:find('^0', self.at) then
    self:take('%d+')
  else
    self.at = self.at + 1
  end
  if self.text:find('^%.', self.at) then self:take('%.%d+') end
  if self.text:find('^[eE]', self.at) then self:take('[eE][+-]?%d+') end
  return scalar('number', self.text:sub(start, self.at - 1))
end

function Reader:object()
  local start = self.at
  local names, members = {}, {}
  self:take('{')
  if not self:skip('}') then
    repeat
      self:space()
      local name = M.unquoted(self:string())
      if not self:skip(':') then self:fail() end
      if not members[name] then table.insert(names, name) end
      members[name] = self:value()
    until not self:skip(',')
    if not self:skip('}') then self:fail() end
  end
  local text = self.text:sub(start, self.at - 1)
  return { kind = 'object', text = text, names = names, members = members, elements = none }
end

function Reader:array()
  local start = self.at
  local elements = {}
  self:take('%[')
  if not self:skip(']') then
    repeat
      table.insert(elements, self:value())
    until not self:skip(',')
    if not self:skip(']') then self:fail() end
  end
  local text = self.text:sub(start, self.at - 1)
  return { kind = 'array', text = text, names = none, members = none, elements = elements }
end

local words = { ['true'] = 'boolean', ['false'] = 'boolean', null = 'null' }

function Reader:value()
  self:space()
  local first = self.text:sub(self.at, self.at)
  if first == '{' then return self:object() end
  if first == '[' then return self:array() end
  if first == '"' then return scalar('string', self:string()) end
  if first:find('[-%d]') then return self:number() end
  local word = self:take('%l+')
  if not words[word] then self:fail() end
  return scalar(words[word], word)
end

---Reads one value with nothing but white space around it.
---@param text string
---@return replay.Json
function M.read(text)
  local reader = setmetatable({ text = text, at = 1 }, Reader)
  local read = reader:value()
  reader:space()
  if reader.at <= #text then reader:fail() end
  return read
end

---The string that a JSON string means.
---@param text string
---@return string
function M.unquoted(text)
  if not text:find('\\', 1, true) then return text:sub(2, -2) end
  return vim.json.decode(text)
end

---The JSON of a string.
---@param text string
---@return string
function M.quoted(text)
  local function escape(byte)
    if byte == '"' or byte == '\\' then return '\\' .. byte end
    return ('\\u%04x'):format(byte:byte())
  end
  return '"' .. text:gsub('[%c"\\]', escape) .. '"'
end

---The string that a member is; nil if it is none.
---@param object replay.Json
---@param name string
---@return string?
function M.string_at(object, name)
  local member = object.members[name]
  if member and member.kind == 'string' then return M.unquoted(member.text) end
end

---The text of an object with these members, in this order.
---@param members { [1]: string, [2]: string }[] names, and texts of values
---@return string
function M.object(members)
  local function written(member) return M.quoted(member[1]) .. ':' .. member[2] end
  return '{' .. table.concat(vim.tbl_map(written, members), ',') .. '}'
end

---The text of an array.
---@param values replay.Json[]
---@return string
function M.array(values)
  return '[' .. table.concat(vim.tbl_map(function(each) return each.text end, values), ',') .. ']'
end

---The object with this member, at its place or at the end; with nil for the value, without it.
---@param object replay.Json
---@param name string
---@param text string?
---@return replay.Json
function M.with(object, name, text)
  local members = {}
  for _, other in ipairs(object.names) do
    local kept = other == name and text or other ~= name and object.members[other].text
    if kept then table.insert(members, { other, kept }) end
  end
  if text and not object.members[name] then table.insert(members, { name, text }) end
  return M.read(M.object(members))
end

---What a client makes of it: numbers are doubles, and members that are null are not there. Nobody may change it.
---@param given replay.Json
---@return any
function M.shown(given)
  if given.shown == nil then given.shown = vim.json.decode(given.text, { luanil = { object = true } }) end
  return given.shown
end

---A number in one form of all it can be written in: digits without zeros at either end, and an exponent.
local function plain_number(text)
  local sign, whole, rest = text:match('^(%-?)(%d+)(.*)$')
  local fraction = rest:match('^%.(%d+)') or ''
  local exponent = tonumber(rest:match('[eE](.*)$') or 0)
  local digits = (whole .. fraction):gsub('^0+', '')
  local kept = digits:gsub('0+$', '')
  if kept == '' then return '0' end
  return ('%s%se%d'):format(sign, kept, exponent - #fraction + #digits - #kept)
end

---Whether two scalars are equal: numbers as numbers, however many digits they have.
---@param a replay.Json
---@param b replay.Json
---@return boolean
function M.same_scalar(a, b)
  if a.kind ~= b.kind then return false end
  if a.kind == 'number' then return plain_number(a.text) == plain_number(b.text) end
  if a.kind == 'string' then return M.unquoted(a.text) == M.unquoted(b.text) end
  return a.text == b.text
end

return M
