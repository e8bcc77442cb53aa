-- Files within JSON: base64 as servers write it, and what a file is by how it begins. Pure.

local M = {}

local BEGINNINGS = {
  { '^\137PNG\r\n\26\n', 'image/png' },
  { '^\255\216\255', 'image/jpeg' },
  { '^GIF8[79]a', 'image/gif' },
  { '^RIFF....WEBP', 'image/webp' },
  { '^RIFF....WAVE', 'audio/wav' },
  { '^%%PDF%-', 'application/pdf' },
  { '^OggS', 'audio/ogg' },
  { '^fLaC', 'audio/flac' },
  { '^ID3', 'audio/mpeg' },
}

---type_of is the MIME type of a file that begins so, whatever the server says; nil if nothing is known by it.
---@param bytes string
---@return string?
function M.type_of(bytes)
  for _, beginning in ipairs(BEGINNINGS) do
    if bytes:find(beginning[1]) then return beginning[2] end
  end
end

---base64 is the same as strict decoders take it: without a data URL's beginning or lines, in the usual alphabet where
---it was in that of URLs, and padded. Nil if it is none.
---@param text any
---@return string?
function M.base64(text)
  if type(text) ~= 'string' then return nil end
  local one_line = text:gsub('^data:[^,]*,', ''):gsub('%s+', ''):gsub('-', '+'):gsub('_', '/')
  local bare = one_line:match('^([%w+/]*)=*$')
  if not bare or #bare % 4 == 1 then return nil end
  return bare .. ('='):rep(-#bare % 4)
end

---bytes are what is in base64; nil if it is none.
---@param text any
---@return string?
function M.bytes(text)
  local clean = M.base64(text)
  if not clean then return nil end
  local ok, bytes = pcall(vim.base64.decode, clean)
  return ok and bytes or nil
end

return M
