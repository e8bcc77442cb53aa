-- What the dialog about a project's servers says: pure. Everything is there, in as many lines as it takes: what a
-- line cuts off could be what matters.

local cells = require('mcp_sidecar.cells')

local M = {}

---Characters that look like a blank or like nothing, beside those that cells.visible shows anyway: a word must
---not look like another one. First and last of each range.
local LOOK_LIKE_NOTHING = {
  { 0xa0, 0xa0 }, -- no-break space
  { 0xad, 0xad }, -- soft hyphen
  { 0x34f, 0x34f },
  { 0x61c, 0x61c }, -- Arabic letter mark
  { 0x115f, 0x1160 }, -- Hangul fillers
  { 0x1680, 0x1680 },
  { 0x17b4, 0x17b5 },
  { 0x180b, 0x180f },
  { 0x2000, 0x200d }, -- spaces, joiners
  { 0x202f, 0x202f },
  { 0x205f, 0x205f },
  { 0x2800, 0x2800 }, -- Braille without dots
  { 0x3000, 0x3000 },
  { 0x3164, 0x3164 },
  { 0xfe00, 0xfe0f }, -- variation selectors
  { 0xffa0, 0xffa0 },
  { 0xe0100, 0xe01ef },
}

---printable shows what would break a line, or hide, as it would be written in a string.
---@param text string
---@return string
function M.printable(text) return cells.visible_but(text, LOOK_LIKE_NOTHING) end

---Cells of a window in which every one counts, and those that a text has in any case.
local NARROW, MIN_TEXT = 50, 8

---quoted is a word of a command line as a shell would need it.
local function quoted(word)
  word = M.printable(word)
  if word:match('^[%w%-_./:=@%%+,]+$') then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

---command_of is what the server would run or contact, as it is written.
---@param server mcp_sidecar.ProjectServer
---@return string
function M.command_of(server)
  if not server.command then
    return server.url and M.printable(server.url) or 'nothing: its entry has neither a command nor an address'
  end
  local words = { quoted(server.command) }
  for _, word in ipairs(server.args or {}) do
    words[#words + 1] = quoted(word)
  end
  return table.concat(words, ' ')
end

---@param values table<string, string>?
---@return string?
local function pairs_of(values)
  local parts = {}
  for name, value in vim.spairs(values or {}) do
    parts[#parts + 1] = ('%s=%s'):format(quoted(name), quoted(value))
  end
  return #parts > 0 and table.concat(parts, ' ') or nil
end

---@param words string[]?
---@return string?
local function list_of(words)
  if not words or #words == 0 then return nil end
  return table.concat(vim.tbl_map(M.printable, words), ', ')
end

---wrapped breaks a text where a line is full, after a blank if there is one near. Nothing is left out or added.
---@param text string
---@param width integer cells
---@return string[]
function M.wrapped(text, width)
  local lines, line, used = {}, {}, 0
  for _, from in ipairs(vim.str_utf_pos(text)) do
    local char = text:sub(from, from + vim.str_utf_end(text, from))
    local cell = cells.width(char)
    if used + cell > width and used > 0 then
      local whole = table.concat(line)
      local head, rest = whole:match('^(.* )([^ ]*)$')
      if not head or #head < #whole / 2 then
        head, rest = whole, ''
      end
      lines[#lines + 1] = head
      line, used = { rest }, cells.width(rest)
    end
    line[#line + 1], used = char, used + cell
  end
  lines[#lines + 1] = table.concat(line)
  return lines
end

local LOOKS = {
  allow = { box = '[+]', word = 'allowed', group = 'McpReady' },
  deny = { box = '[-]', word = 'denied', group = 'McpFailed' },
  later = { box = '[ ]', word = 'not decided', group = 'McpWaiting' },
}

---TrustKeys are keys of the dialog that do much the same, and that in a word, if it is said below the servers.
---@alias mcp_sidecar.TrustKeys { keys: string[], short?: string }

---@type mcp_sidecar.TrustKeys[]
M.KEYS = {
  { keys = { 'a' }, short = 'allow' },
  { keys = { 'd' }, short = 'deny' },
  { keys = { 'l' }, short = 'later' },
  { keys = { 'A', 'D' }, short = 'all' },
  { keys = { 'o' }, short = 'show file' },
  { keys = { '<CR>' }, short = 'done' },
  { keys = { 'q' }, short = 'close' },
  { keys = { '<Esc>' } },
}

---help_line names the keys: with what they do, if there is room for that.
---@param width? integer cells
---@return string
function M.help_line(width)
  local names, words = {}, {}
  for _, key in ipairs(M.KEYS) do
    if key.short then
      names[#names + 1] = table.concat(key.keys, '/')
      words[#words + 1] = names[#names] .. ' ' .. key.short
    end
  end
  local line = table.concat(words, '   ')
  return #line <= (width or math.huge) and line or table.concat(names, ' ')
end

---@class mcp_sidecar.TrustLines
---@field lines string[]
---@field marks mcp_sidecar.ui.Mark[]
---@field servers table<integer, integer> the server (its index) that a line (one-based) is about

---@class mcp_sidecar.TrustPlace
---@field project string as it is shown
---@field width integer cells of a line
---@field keys boolean the keys stand below

---details are what is said of a server below its name: label, text, group.
---@param server mcp_sidecar.ProjectServer
---@return { [1]: string, [2]: string?, [3]: string? }[]
local function details(server)
  return {
    { server.url and not server.command and 'contacts  ' or 'runs  ', M.command_of(server) },
    { 'in    ', server.cwd and M.printable(server.cwd) },
    { 'env   ', pairs_of(server.env) },
    { 'headers  ', pairs_of(server.headers) },
    { 'uses  ', list_of(server.uses), 'McpMuted' },
    { 'file  ', M.printable(server.path), 'McpMuted' },
  }
end

---render shows the servers with what was chosen for each.
---@param servers mcp_sidecar.ProjectServer[]
---@param chosen table<integer, mcp_sidecar.Decision> by index
---@param place mcp_sidecar.TrustPlace
---@return mcp_sidecar.TrustLines
function M.render(servers, chosen, place)
  local out = { lines = {}, marks = {}, servers = {} }
  local function add(label, text, group, index)
    local indent = label
    for _, part in ipairs(M.wrapped(text, math.max(MIN_TEXT, place.width - #label))) do
      local line = indent .. part
      out.lines[#out.lines + 1] = line
      if group then
        out.marks[#out.marks + 1] = { row = #out.lines - 1, from = 0, to = #line, group = group }
      end
      if index then out.servers[#out.lines] = index end
      indent = (' '):rep(#label)
    end
  end
  local these = #servers == 1 and 'this server' or ('these %d servers'):format(#servers)
  add('', ('Files of %s name %s.'):format(M.printable(place.project), these), 'McpHeading')
  add('', 'One that is allowed runs as you do, now and later, as it is written here.', 'McpMuted')
  local margin = (' '):rep(place.width < NARROW and 2 or 6)
  for index, server in ipairs(servers) do
    add('', '')
    local look = LOOKS[chosen[index] or 'later']
    add('', ('%s %s   %s'):format(look.box, M.printable(server.name), look.word), look.group, index)
    for _, detail in ipairs(details(server)) do
      if detail[2] then add(margin .. detail[1], detail[2], detail[3], index) end
    end
  end
  if place.keys then
    add('', '')
    add('', M.help_line(), 'McpMuted')
  end
  return out
end

return M
