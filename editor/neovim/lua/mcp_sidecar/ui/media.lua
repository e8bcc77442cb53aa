-- What bytes are: their kind as the end of a file's name, the size of a picture by its header. Pure.

local embedded = require('mcp_sidecar.embedded')

local M = {}

local EXTENSIONS = {
  ['image/png'] = 'png',
  ['image/jpeg'] = 'jpg',
  ['image/jpg'] = 'jpg',
  ['image/gif'] = 'gif',
  ['image/webp'] = 'webp',
  ['image/svg+xml'] = 'svg',
  ['image/bmp'] = 'bmp',
  ['image/tiff'] = 'tiff',
  ['image/avif'] = 'avif',
  ['audio/wav'] = 'wav',
  ['audio/x-wav'] = 'wav',
  ['audio/wave'] = 'wav',
  ['audio/mpeg'] = 'mp3',
  ['audio/mp3'] = 'mp3',
  ['audio/mp4'] = 'm4a',
  ['audio/ogg'] = 'ogg',
  ['audio/flac'] = 'flac',
  ['audio/webm'] = 'weba',
  ['video/mp4'] = 'mp4',
  ['video/webm'] = 'webm',
  ['application/pdf'] = 'pdf',
  ['application/zip'] = 'zip',
  ['application/gzip'] = 'gz',
  ['application/json'] = 'json',
  ['text/plain'] = 'txt',
  ['text/html'] = 'html',
  ['text/csv'] = 'csv',
  ['text/markdown'] = 'md',
}

---extension of a file with these bytes: by what they are, else by the MIME type, else "bin".
---@param bytes string
---@param mime? any
---@return string
function M.extension(bytes, mime)
  local claimed = type(mime) == 'string' and mime:lower():match('^%s*([^;%s]*)') or ''
  return EXTENSIONS[embedded.type_of(bytes) or claimed] or 'bin'
end

local function big_endian(bytes, at, count)
  local number = 0
  for i = at, at + count - 1 do
    number = number * 256 + (bytes:byte(i) or 0)
  end
  return number
end

-- JPEG: the frame header lies behind segments of any length.
local function jpeg(bytes)
  local at = 3
  while at + 8 <= #bytes and bytes:byte(at) == 255 do
    local marker = bytes:byte(at + 1)
    local is_frame = marker >= 0xC0
      and marker <= 0xCF
      and marker ~= 0xC4
      and marker ~= 0xC8
      and marker ~= 0xCC
    if is_frame then return big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2) end
    if marker == 255 then
      at = at + 1
    elseif marker == 1 or (marker >= 0xD0 and marker <= 0xD8) then
      at = at + 2
    else
      local length = big_endian(bytes, at + 2, 2)
      if length < 2 then return nil end
      at = at + 2 + length
    end
  end
end

---dimensions of a PNG, JPEG or GIF, in pixels; nil for anything else.
---@param bytes string
---@return integer? width
---@return integer? height
function M.dimensions(bytes)
  local kind = embedded.type_of(bytes)
  if kind == 'image/png' and #bytes >= 24 then return big_endian(bytes, 17, 4), big_endian(bytes, 21, 4) end
  if kind == 'image/gif' and #bytes >= 10 then
    local a, b, c, d = bytes:byte(7, 10)
    return a + 256 * b, c + 256 * d
  end
  if kind == 'image/jpeg' then return jpeg(bytes) end
  return nil
end

return M
