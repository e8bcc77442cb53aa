-- Text of others, made fit for the cells of a line. Servers, tools and files are written by anybody: nothing in
-- their text may break a line, move the cursor, or be read as something else than it is.
local utf8 = require('mcp_sidecar.utf8')

local M = {}

-- Characters that nobody sees and that change what is seen. Joiners (U+200C, U+200D) are left out: words and
-- emoji need them, and they turn nothing around.
local unseen = {
  { 0x7f, 0x9f },
  { 0x200b, 0x200b },
  { 0x200e, 0x200f },
  { 0x2028, 0x202e },
  { 0x2060, 0x206f },
  { 0xfeff, 0xfeff },
  { 0xfff9, 0xfffb },
  { 0xe0000, 0xe007f },
}

local short_escapes = { [0x09] = '\\t', [0x0a] = '\\n', [0x0d] = '\\r', [0x1b] = '\\e' }

---@alias mcp_sidecar.CodeRanges { [1]: integer, [2]: integer }[] first and last of each

---@param code integer
---@param ranges mcp_sidecar.CodeRanges
---@return boolean
local function is_within(code, ranges)
  for _, range in ipairs(ranges) do
    if code >= range[1] and code <= range[2] then return true end
  end
  return false
end

---@param code integer
---@param more mcp_sidecar.CodeRanges
---@return string? escape nil for what can be shown as it is
local function escape(code, more)
  if code < 0x20 then return short_escapes[code] or ('\\x%02x'):format(code) end
  if is_within(code, unseen) or is_within(code, more) then
    return (code < 0x80 and '\\x%02x' or '\\u{%x}'):format(code)
  end
end

---Text as one line: control characters, line breaks, characters that nobody sees and bytes that are no UTF-8
---become visible escapes.
---@param text string
---@return string
function M.visible(text) return M.visible_but(text, {}) end

---The same, where more characters become escapes.
---@param text string
---@param more mcp_sidecar.CodeRanges
---@return string
function M.visible_but(text, more)
  local out, from = {}, 1
  local i = text:find('[%c\127-\255]')
  if not i then return text end
  while i do
    local code, length = utf8.character(text, i)
    local instead = not code and ('\\x%02x'):format(text:byte(i)) or escape(code --[[@as integer]], more)
    if instead then
      out[#out + 1] = text:sub(from, i - 1)
      out[#out + 1] = instead
      from = i + length
    end
    i = text:find('[%c\127-\255]', i + length)
  end
  out[#out + 1] = text:sub(from)
  return table.concat(out)
end

---Text that was written for a terminal, without colours and movements of the cursor.
---@param text string
---@return string
function M.plain(text) return (text:gsub('\27%[[%d;:?]*[%a@`~]', '')) end

---@param text string visible
---@return integer cells
function M.width(text)
  if not text:find('[\128-\255]') then return #text end
  return vim.fn.strdisplaywidth(text)
end

---As much of a text as so many cells can show, and more: no character worth showing has more than 16 bytes a cell.
---Texts may be long, and only their beginnings are looked at.
---@param text string
---@param width integer cells
---@return string near
---@return boolean more there is more
local function beginning(text, width)
  local bytes = 16 * math.max(width, 2)
  if #text <= bytes then return text, false end
  local near = text:sub(1, bytes):gsub('[\192-\255][\128-\191]*$', '')
  return near, true
end

---The longest beginning that fits into so many cells, and the rest. At least one character is taken if `some`.
---@param text string visible
---@param width integer cells
---@param some? boolean
---@return string head
---@return string rest
local function take(text, width, some)
  if width < 1 and not some then return '', text end
  local near = beginning(text, width)
  if not near:find('[\128-\255]') then
    width = math.max(width, some and 1 or 0)
    return text:sub(1, width), text:sub(width + 1)
  end
  -- A beginning is never wider than a longer one, and a character that is drawn over another adds nothing: the
  -- longest that fits never ends between the two.
  local starts = vim.str_utf_pos(near)
  starts[#starts + 1] = #near + 1
  local fits, exceeds = some and 2 or 1, #starts + 1
  while exceeds - fits > 1 do
    local middle = math.floor((fits + exceeds) / 2)
    if M.width(near:sub(1, starts[middle] - 1)) <= width then
      fits = middle
    else
      exceeds = middle
    end
  end
  local bytes = starts[fits] - 1
  return text:sub(1, bytes), text:sub(bytes + 1)
end

---Text cut to so many cells, with … where something is missing.
---@param text string visible
---@param width integer cells
---@return string
function M.cut(text, width)
  if #text <= width then return text end
  local near, more = beginning(text, width)
  if not more and M.width(near) <= width then return near end
  local dots = M.width('…')
  if width < dots then return '' end
  return (take(near, width - dots)) .. '…'
end

---Any text as one line of at most so many cells.
---@param text string
---@param width integer cells
---@return string
function M.line(text, width)
  local near, more = beginning(text, width)
  return M.cut(M.visible(near) .. (more and '…' or ''), width)
end

---Text cut or filled up to exactly so many cells.
---@param text string visible
---@param width integer cells
---@return string
function M.fill(text, width)
  local cut = M.cut(text, width)
  return cut .. (' '):rep(width - M.width(cut))
end

---@param out string[]
---@param line string visible
---@param width integer cells
---@param limit integer lines
local function wrap_line(out, line, width, limit)
  if M.width(line) <= width then
    out[#out + 1] = line
    return
  end
  local indent = line:match('^ *')
  if #indent > width / 2 then indent = '' end
  local words, used = {}, 0 ---@type string[], integer
  local function flush()
    if #words > 0 then out[#out + 1] = indent .. table.concat(words, ' ') end
    words, used = {}, #indent
  end
  flush()
  for word in line:gmatch('[^ ]+') do
    local cells = M.width(word)
    if #words > 0 and used + 1 + cells > width then flush() end
    while #out < limit and #indent + cells > width do
      local head
      head, word = take(word, width - #indent, true)
      out[#out + 1], cells = indent .. head, M.width(word)
    end
    if #out >= limit then return end
    if word ~= '' then
      used = used + cells + (#words > 0 and 1 or 0)
      words[#words + 1] = word
    end
  end
  flush()
end

---Text as lines of at most so many cells, broken at its own line breaks and between words.
---@param text string
---@param width integer cells
---@param limit integer lines: no more are made
---@return string[] lines
---@return boolean more there is more than the lines have
function M.wrap(text, width, limit)
  local out = {} ---@type string[]
  width = math.max(width, 1)
  local near, cut = beginning(vim.trim(text), width * (limit + 1))
  text = near:gsub('\r\n?', '\n'):gsub('\t', '  ')
  for line in (text .. '\n'):gmatch('(.-)\n') do
    if #out > limit then break end
    -- One line more than wanted tells that there is more.
    wrap_line(out, M.visible(line:gsub(' +$', '')), width, limit + 1)
  end
  return vim.list_slice(out, 1, limit), cut or #out > limit
end

return M
