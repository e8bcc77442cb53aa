-- What a model can be shown of a tool's result: texts, images that every provider takes, and PDFs for those
-- that do. Whatever else a server sends is described in a line of text, so that the model knows of it.
--
-- A block that a provider refuses stays in the conversation and spoils every later request too. So nothing
-- that is known to be refused gets through: blank texts ("text content blocks must be non-empty"), bytes that
-- are no characters, images of another type than these four, or than they claim to be ("Image does not match
-- the provided media type"), no images at all ("Could not process image"), no PDFs, no base64.

local bounded = require('mcp_sidecar.adapters.bounded').bounded
local embedded = require('mcp_sidecar.embedded')
local json = require('mcp_sidecar.json')
local json_text = require('mcp_sidecar.json_text')
local utf8 = require('mcp_sidecar.utf8')
local tree = require('mcp_sidecar.adapters.schema_tree')

local M = {}

---Part is one piece of a result that a model can be shown.
---@class mcp_sidecar.Part
---@field type "text"|"image"|"pdf"
---@field text? string of a text
---@field data? string base64, of an image or a PDF
---@field mime_type? "image/jpeg"|"image/png"|"image/gif"|"image/webp" of an image
---@field name? string of a PDF: that of a file

---Files that can be shown.
local SHOWN = {
  ['image/jpeg'] = 'image',
  ['image/png'] = 'image',
  ['image/gif'] = 'image',
  ['image/webp'] = 'image',
  ['application/pdf'] = 'pdf',
}

---How much base64 Anthropic takes for one image ("image exceeds 5 MB maximum").
local LARGEST_IMAGE = 5 * 1024 * 1024

---How many characters are shown of a string in a block that nobody knows: it may well be base64.
local SHORT = 1000

---How many objects and lists are shown in one another, of such a block and of structured content.
local DEEPEST = { outline = 32, json = 128 }

---@return mcp_sidecar.Part
local function text(value) return { type = 'text', text = utf8.well_formed(value) } end

---@return mcp_sidecar.Part
local function in_json(value) return text(json.encode(bounded(value, DEEPEST.json))) end

---outline is in_json with its long strings cut.
local function outline(value)
  local function short(inner)
    inner = utf8.well_formed(inner)
    local length = utf8.length(inner)
    return length > SHORT and ('%s… (%d characters)'):format(utf8.start(inner, SHORT), length) or inner
  end
  return text(json.encode(bounded(value, DEEPEST.outline, short)))
end

local function is_text(value) return type(value) == 'string' and value ~= '' end

---size of what is in base64.
---@param encoded string
---@return string
local function size(encoded)
  local bytes = math.floor(#encoded:gsub('=+$', '') * 3 / 4)
  if bytes < 1000 then return ('%d bytes'):format(bytes) end
  return bytes < 1e6 and ('%d kB'):format(math.floor(bytes / 1000 + 0.5)) or ('%.1f MB'):format(bytes / 1e6)
end

local function file_name(uri)
  local last = tostring(uri):match('[^/]*$')
  return last:lower():match('%.pdf$') and utf8.well_formed(last) or 'document.pdf'
end

local function is_written(mime_type)
  if mime_type:find('^text/') then return true end
  return vim
    .iter({ 'json', 'xml', 'yaml' })
    :any(function(form) return mime_type:find('[/+]' .. form .. '%f[%W]') end)
end

---file shows what is in base64. An image or a PDF is what it begins with, whatever the server says.
---@param encoded string
---@param claimed any
---@param what string
---@param uri? any
---@return mcp_sidecar.Part
local function file(encoded, claimed, what, uri)
  local mime_type = is_text(claimed) and claimed or 'of unknown type'
  local data = embedded.base64(encoded)
  if not data then return text(('[%s, %s, that is no base64]'):format(what, mime_type)) end
  local actual = embedded.type_of(embedded.bytes(data:sub(1, 16)) or '')
  local kind = SHOWN[actual]
  if kind == 'pdf' then return { type = 'pdf', data = data, name = file_name(uri) } end
  if kind == 'image' then return { type = 'image', data = data, mime_type = actual } end
  if is_written(mime_type) then return text(('[%s]\n%s'):format(what, embedded.bytes(data) or '')) end
  return text(('[%s, %s, %s, that cannot be shown here]'):format(what, mime_type, size(data)))
end

---@return mcp_sidecar.Part
local function resource(contents)
  local uri = contents.uri
  local what = type(uri) == 'string' and 'resource ' .. uri or 'a resource'
  if type(contents.text) == 'string' then return text(('[%s]\n%s'):format(what, contents.text)) end
  if type(contents.blob) == 'string' then return file(contents.blob, contents.mimeType, what, uri) end
  return text(('[%s: empty]'):format(what))
end

---link leaves it to the model to ask for more, by whatever tool reads such things.
---@return mcp_sidecar.Part
local function link(block)
  local called = is_text(block.title) and block.title or is_text(block.name) and block.name or 'a resource'
  local of = is_text(block.mimeType) and (' (%s)'):format(block.mimeType) or ''
  local about = is_text(block.description) and ': ' .. block.description or ''
  return text(('[link to %s%s at %s]%s'):format(called, of, block.uri, about))
end

---@param block any
---@return mcp_sidecar.Part
local function part(block)
  if type(block) == 'string' then return text(block) end
  if not tree.is_object(block) then return outline(block) end
  local kind, data = block.type, block.data
  if kind == 'text' and type(block.text) == 'string' then return text(block.text) end
  if kind == 'image' and type(data) == 'string' then return file(data, block.mimeType, 'an image') end
  if kind == 'audio' and type(data) == 'string' then return file(data, block.mimeType, 'a sound') end
  if kind == 'resource' and tree.is_object(block.resource) then return resource(block.resource) end
  if kind == 'resource_link' and type(block.uri) == 'string' then return link(block) end
  return outline(block)
end

---structured is the server's own text, where it is known: Lua knows neither the order of members nor null.
local function structured(outcome)
  local whole = outcome.json
  local own = type(whole) == 'string' and json_text.member(whole, 'structuredContent')
  return own and text(own) or in_json(outcome.result.structuredContent)
end

---parts is what to show of a result, in its order. It is never empty, and no text in it is blank.
---@param outcome { result: mcp_sidecar.CallToolResult, json?: string }
---@return mcp_sidecar.Part[]
function M.parts(outcome)
  local result = outcome.result
  local content = result.content
  local blocks = tree.is_list(content) and content or content ~= nil and { content } or {}
  local shown = vim.tbl_filter(
    function(one) return one.type ~= 'text' or one.text:find('%S') ~= nil end,
    vim.tbl_map(part, blocks)
  )
  if #shown > 0 then return shown end
  -- content is what a server says to models. Without it, what it says to programs is the only source.
  if result.structuredContent ~= nil then return { structured(outcome) } end
  local others = tree.without(result, 'content', 'isError', '_meta')
  if content == nil and next(others) ~= nil then return { in_json(others) } end -- such as {toolResult}
  return {
    text(result.isError == true and 'The tool failed without saying why.' or 'The tool returned nothing.'),
  }
end

---saying_failure is parts, of which the first says so if the tool failed: for those who have no other place
---for it, or do not pass it on.
---@param shown mcp_sidecar.Part[]
---@param failed boolean
---@return mcp_sidecar.Part[]
function M.saying_failure(shown, failed)
  if not failed then return shown end
  local first = shown[1]
  if first.type ~= 'text' then return vim.list_extend({ text('Error:') }, shown) end
  local words = first.text:lower():match('^[^%w_]*(.*)')
  local says_so = words:find('^error%f[^%w_]') or words:find('^[%w_]+ error%f[^%w_]')
  if says_so then return shown end
  return vim.list_extend({ text('Error: ' .. first.text) }, shown, 2)
end

---note stands for what the model is not shown.
---@param one mcp_sidecar.Part an image or a PDF
---@return string
function M.note(one)
  local what = one.type == 'image' and 'an image, ' .. one.mime_type or 'the file ' .. one.name
  return ('[%s, %s, that cannot be shown here]'):format(what, size(one.data))
end

---in_words is all parts as one text. What is no text is described.
---@param shown mcp_sidecar.Part[]
---@param describe? fun(one: mcp_sidecar.Part): string default: note
---@return string
function M.in_words(shown, describe)
  describe = describe or M.note
  local function words(one) return one.type == 'text' and one.text or describe(one) end
  return table.concat(vim.tbl_map(words, shown), '\n')
end

---fitting describes an image in words that is too large for some provider, and leaves any other part.
---@param one mcp_sidecar.Part
---@return mcp_sidecar.Part
function M.fitting(one) return one.type == 'image' and #one.data > LARGEST_IMAGE and text(M.note(one)) or one end

return M
