-- From the outcome of a call to the lines of a buffer. Pure.

local cells = require('mcp_sidecar.cells')
local in_words = require('mcp_sidecar.words')
local json = require('mcp_sidecar.json')
local json_text = require('mcp_sidecar.json_text')
local json_write = require('mcp_sidecar.ui.json_write')
local text_kind = require('mcp_sidecar.ui.text_kind')

local M = {}

-- Bytes: beyond BIG there is no syntax, beyond HUGE JSON stays as it was sent.
local BIG, HUGE = 1024 * 1024, 4 * 1024 * 1024

---ResultTarget is what a line can open.
---@class mcp_sidecar.ResultTarget
---@field path? string a file
---@field uri? string
---@field attachment? mcp_sidecar.Attachment

---ResultPage is a result as a buffer shows it.
---@class mcp_sidecar.ResultPage
---@field lines string[]
---@field filetype string empty for plain text
---@field big boolean too long for syntax
---@field marks mcp_sidecar.ui.Mark[]
---@field targets table<integer, mcp_sidecar.ResultTarget> by line, from 1
---@field text string[] what the server said, without what is added here

---Draft is a page while it is made.
---@class mcp_sidecar.ResultDraft: mcp_sidecar.ResultPage
local Draft = {}
Draft.__index = Draft

function Draft:add(line, target) -- one line of our own
  self.lines[#self.lines + 1] = line
  self.targets[#self.lines] = target
end

function Draft:mark(from, to, group)
  self.marks[#self.marks + 1] = { row = #self.lines - 1, from = from, to = to, group = group }
end

-- A line of our own in pieces with their groups.
function Draft:pieces(pieces, target)
  local line = ''
  for _, piece in ipairs(pieces) do
    line = line .. piece[1]
  end
  self:add(line, target)
  local column = 0
  for _, piece in ipairs(pieces) do
    if piece[2] then self:mark(column, column + #piece[1], piece[2]) end
    column = column + #piece[1]
  end
end

function Draft:rule(words)
  local head = '── ' .. words .. ' '
  local line = head .. ('─'):rep(math.max(3, 72 - cells.width(head)))
  self:add(line)
  self:mark(0, #line, 'McpHeading')
end

-- What the server said. Line by line: a text may have a million.
function Draft:said(lines)
  local own, text = self.lines, self.text
  local at, said = #own, #text
  for i = 1, #lines do
    own[at + i] = lines[i]
    text[said + i] = lines[i]
  end
end

local function split(text)
  if text:find('\r\n', 1, true) then text = text:gsub('\r\n', '\n') end
  local lines = vim.split(text, '\n', { plain = true })
  if #lines > 1 and lines[#lines] == '' then lines[#lines] = nil end
  return lines
end

-- The lines of a server's text, and what they are.
local function laid_out(text)
  if #text <= HUGE and text:find('^%s*[{%[]') and not json_text.problem(text) then
    return json_text.pretty(text), 'json'
  end
  return split(text), nil
end

local function word(value) return type(value) == 'string' and value ~= '' and cells.visible(value) or nil end

local function joined(...)
  local words = {}
  for i = 1, select('#', ...) do
    words[#words + 1] = (select(i, ...))
  end
  return table.concat(words, '  ')
end

-- A block of bytes is one line: what they are, and where they lie.
local function attachment_line(draft, attachment)
  local size = attachment.bytes and in_words.size(#attachment.bytes) or nil
  local pixels = attachment.width and ('%dx%d'):format(attachment.width, attachment.height) or nil
  local head = joined(
    attachment.kind,
    word(attachment.mime) or 'no type',
    pixels or size,
    pixels and size,
    word(attachment.uri)
  )
  if attachment.path then
    draft:pieces(
      { { head .. '  ' }, { attachment.path, 'McpPath' } },
      { path = attachment.path, attachment = attachment }
    )
  else
    draft:pieces({ { head .. '  ' }, { attachment.problem or 'it was not saved', 'McpError' } })
  end
end

local function link_line(draft, block)
  local size = type(block.size) == 'number' and in_words.size(block.size) or nil
  local uri = word(block.uri)
  local pieces =
    { { joined('link', word(block.title) or word(block.name), word(block.mimeType), size) .. '  ' } }
  pieces[2] = uri and { uri, 'McpPath' } or { 'without a URI', 'McpError' }
  draft:pieces(pieces, uri and { uri = block.uri } or nil)
  if word(block.description) then draft:said(split(block.description)) end
end

local function is_link(block) return type(block) == 'table' and block.type == 'resource_link' end

-- What a block is called in its rule.
local function block_name(block)
  if type(block) ~= 'table' then return 'no block' end
  local kind = word(block.type) or 'a block without a type'
  if block.type == 'resource' and type(block.resource) == 'table' then
    return joined(kind, word(block.resource.uri), word(block.resource.mimeType))
  end
  return kind
end

-- Adds one block and says what filetype its text has.
local function add_block(draft, block, attachment)
  if attachment then
    attachment_line(draft, attachment)
    return nil
  end
  if type(block) == 'table' then
    if block.type == 'text' and type(block.text) == 'string' then
      local lines, kind = laid_out(block.text)
      draft:said(lines)
      return kind or text_kind.guess(block.text)
    end
    local resource = type(block.resource) == 'table' and block.resource or {}
    if block.type == 'resource' and type(resource.text) == 'string' then
      local lines, kind = laid_out(resource.text)
      draft:said(lines)
      return kind
        or text_kind.of_resource(resource.uri, resource.mimeType, lines)
        or text_kind.guess(resource.text)
    end
    if is_link(block) then
      link_line(draft, block)
      return nil
    end
  end
  draft:add('A block that is not understood:')
  draft:mark(0, #draft.lines[#draft.lines], 'McpWarning')
  draft:said(json_text.pretty(json_write.value(block)))
  return nil
end

local function text_blocks(content)
  local texts = {}
  for _, block in ipairs(content) do
    if type(block) == 'table' and block.type == 'text' and type(block.text) == 'string' then
      texts[#texts + 1] = block.text
    end
  end
  return texts
end

-- What is in an object of one member: structured content must be an object, so that servers wrap a text or a list
-- in one, as `result` or `content`.
local function unwrapped(structured)
  if type(structured) ~= 'table' then return nil end
  local name, value = next(structured)
  if type(name) ~= 'string' or next(structured, name) ~= nil then return nil end
  return value
end

-- The same in Lua's eyes. Tools return a value and, for older clients, the same as text.
local function same_value(text, structured)
  local ok, value = pcall(json.decode, text)
  if not ok then value = text end
  if vim.deep_equal(value, structured) then return true end
  local inner = unwrapped(structured)
  return inner ~= nil and (vim.deep_equal(value, inner) or text == inner)
end

---says_more says whether structured content has something that the texts do not.
---@param texts string[]
---@param structured any
---@param source string its JSON
---@return boolean
local function says_more(texts, structured, source)
  if #texts == 1 then
    local text = texts[1]
    if
      #text + #source <= HUGE
      and not json_text.problem(text)
      and json_text.compact(text) == json_text.compact(source)
    then
      return false
    end
    return #source > BIG or not same_value(text, structured)
  end
  local list = unwrapped(structured)
  if type(list) ~= 'table' then list = {} end
  if #texts == 0 or #list ~= #texts then return true end
  for i, text in ipairs(texts) do
    if not same_value(text, list[i]) then return true end
  end
  return false
end

-- The JSON of structuredContent, if it says more than the content does.
local function structured_of(outcome, result, content)
  local structured = result.structuredContent
  if structured == nil or structured == vim.NIL then return nil end
  local source = type(outcome.json) == 'string' and json_text.member(outcome.json, 'structuredContent')
  source = source or json_write.value(structured)
  if not says_more(text_blocks(content), structured, source) then return nil end
  if json_text.problem(source) then return nil end
  return source
end

-- What the sidecar knows of a failure, beyond what it told the model.
local function add_failure(draft, failure)
  if type(failure) ~= 'table' then return end
  if word(failure.hint) then draft:pieces({ { 'hint: ', 'McpHint' }, { cells.visible(failure.hint) } }) end
  local lines = type(failure.stderr) == 'table' and failure.stderr or {}
  if #lines == 0 then return end
  draft:rule('the last lines of its stderr')
  for _, line in ipairs(lines) do
    if type(line) == 'string' then
      draft:add(cells.visible(line))
      draft:mark(0, #draft.lines[#draft.lines], 'McpLogStderr')
    end
  end
end

local function error_header(draft, outcome)
  local details = outcome.details
  local code = type(details.error) == 'table' and word(details.error.code)
  draft:add(
    ('ERROR from %s/%s%s'):format(
      cells.visible(details.server),
      cells.visible(details.tool),
      code and ' (' .. code .. ')' or ''
    )
  )
  draft:mark(0, #draft.lines[#draft.lines], 'McpError')
  draft:add('')
end

local function add_truncated(draft, truncated)
  if type(truncated) ~= 'table' or type(truncated.file) ~= 'string' then return end
  local whole = ('The rest is cut: all %s are in '):format(in_words.size(tonumber(truncated.bytes) or 0))
  draft:pieces(
    { { whole, 'McpWarning' }, { cells.visible(truncated.file), 'McpPath' } },
    { path = truncated.file }
  )
end

-- The blocks of a result, and the filetype of its text if there is one for all of it.
local function add_content(draft, content, structured, attachments)
  local by_block = {}
  for _, attachment in ipairs(attachments) do
    by_block[attachment.block] = attachment
  end
  local alone = #content + (structured and 1 or 0) == 1
  local filetype
  for i, block in ipairs(content) do
    local named = not alone or (type(block) == 'table' and block.type == 'resource' and not by_block[i])
    if named and not (i > 1 and is_link(block) and is_link(content[i - 1])) then
      draft:rule(block_name(block))
    end
    local kind = add_block(draft, block, by_block[i])
    filetype = alone and kind or nil
  end
  if structured then
    if not alone then draft:rule('structured content') end
    local lines = #structured <= HUGE and json_text.pretty(structured) or split(structured)
    draft:said(lines)
    filetype = alone and 'json' or nil
  end
  return filetype
end

-- A result that is none of MCP's is shown as it is.
local function add_unknown(draft, outcome, result, failed)
  local members = 0
  for name in pairs(result) do
    if name ~= 'content' and name ~= 'isError' and name ~= '_meta' then members = members + 1 end
  end
  local content = result.content
  local strange = content ~= nil and (type(content) ~= 'table' or next(content) ~= nil)
  local odd = type(outcome.result) ~= 'table' or members > 0 or strange
  if not odd then
    draft:pieces({ { failed and '(it says no more)' or '(the tool answered, without content)', 'McpMuted' } })
    return nil
  end
  local source = type(outcome.json) == 'string' and outcome.json or json_write.value(outcome.result)
  draft:said(json_text.problem(source) and split(source) or json_text.pretty(source))
  return 'json'
end

local function total(lines)
  local bytes = 0
  for i = 1, #lines do
    bytes = bytes + #lines[i] + 1
  end
  return bytes
end

---render makes the page of an outcome.
---@param outcome mcp_sidecar.CallOutcome
---@param attachments mcp_sidecar.Attachment[] those of its result, saved or not
---@return mcp_sidecar.ResultPage
function M.render(outcome, attachments)
  local draft = setmetatable({ lines = {}, marks = {}, targets = {}, text = {} }, Draft)
  local result = type(outcome.result) == 'table' and outcome.result or {}
  local failed = result.isError == true
  local content = type(result.content) == 'table' and result.content or {}
  if failed then error_header(draft, outcome) end
  local structured = structured_of(outcome, result, content)
  local filetype = add_content(draft, content, structured, attachments)
  if #content == 0 and not structured then filetype = add_unknown(draft, outcome, result, failed) end
  add_truncated(draft, outcome.details.truncated)
  if failed then add_failure(draft, outcome.details.error) end
  draft.big = total(draft.lines) > BIG
  -- A header of ours is no JSON, and no diff.
  draft.filetype = not draft.big and not failed and filetype or ''
  return setmetatable(draft, nil)
end

---header is what stands above a result: which tool, how long it took.
---@param label string
---@param outcome mcp_sidecar.CallOutcome
---@return { [1]: string, [2]: string? }[]
function M.header(label, outcome)
  local details = outcome.details
  local pieces = { { ' ' .. label, 'McpTool' }, { '  ' .. in_words.duration(details.durationMs), 'McpTime' } }
  if details.deferred or (tonumber(details.waitedMs) or 0) >= 100 then
    pieces[#pieces + 1] = { '  waited ' .. in_words.duration(details.waitedMs), 'McpTime' }
  end
  if type(outcome.result) == 'table' and outcome.result.isError == true then
    pieces[#pieces + 1] = { '  error', 'McpError' }
  end
  return pieces
end

return M
