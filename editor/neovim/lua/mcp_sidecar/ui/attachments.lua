-- Pictures, sounds and other bytes of a result: found, and kept as files of the user's own until the editor ends.

local embedded = require('mcp_sidecar.embedded')
local media = require('mcp_sidecar.ui.media')

local M = {}

---Attachment is one block's bytes.
---@class mcp_sidecar.Attachment
---@field block integer index of the content block
---@field kind string "image", "audio" or "blob"
---@field mime? string
---@field uri? string of a blob
---@field bytes? string nil: they could not be read
---@field extension string
---@field width? integer pixels
---@field height? integer
---@field path? string where it lies, when it was saved
---@field problem? string why it has no bytes, or no path

-- The base64 of a block, if it has some: its kind, the text, the MIME type and the URI.
local function encoded(block)
  if block.type == 'image' or block.type == 'audio' then
    return block.type, block.data, block.mimeType, nil
  end
  local resource = type(block.resource) == 'table' and block.resource or {}
  if block.type == 'resource' and resource.blob ~= nil then
    return 'blob', resource.blob, resource.mimeType, resource.uri
  end
end

---collect finds the bytes in a result.
---@param result mcp_sidecar.CallToolResult
---@return mcp_sidecar.Attachment[]
function M.collect(result)
  local found = {}
  local content = type(result) == 'table' and type(result.content) == 'table' and result.content or {}
  for i, block in ipairs(content) do
    local kind, text, mime, uri
    if type(block) == 'table' then
      kind, text, mime, uri = encoded(block)
    end
    if kind then
      local bytes = embedded.bytes(text)
      local attachment =
        { block = i, kind = kind, bytes = bytes, extension = media.extension(bytes or '', mime) }
      attachment.mime = type(mime) == 'string' and mime or nil
      attachment.uri = type(uri) == 'string' and uri or nil
      if bytes then
        attachment.width, attachment.height = media.dimensions(bytes)
      else
        attachment.problem = 'its data is no base64'
      end
      found[#found + 1] = attachment
    end
  end
  return found
end

local OWNER_ONLY, DIRECTORY_OF_OWNER = tonumber('600', 8), tonumber('700', 8)
local A_DAY = 24 * 60 * 60

-- What this editor saved, until it ends.
local saved = {}
local counter = 0

---directory_of_results is where results are kept.
---@return string
local function directory_of_results()
  return vim.fs.normalize(vim.fn.stdpath('cache')) .. '/mcp-sidecar/results'
end

---forget removes what this editor saved.
function M.forget()
  for path in pairs(saved) do
    vim.uv.fs_unlink(path)
  end
  saved = {}
end

-- An editor that was killed leaves its files: the next one takes the old ones away.
local function sweep(directory)
  local now = os.time()
  for name in vim.fs.dir(directory) do
    local path = directory .. '/' .. name
    local stat = vim.uv.fs_lstat(path)
    if stat and stat.type == 'file' and now - stat.mtime.sec > 7 * A_DAY then vim.uv.fs_unlink(path) end
  end
end

local function prepare()
  local directory = directory_of_results()
  vim.fn.mkdir(directory, 'p', DIRECTORY_OF_OWNER)
  if next(saved) == nil then
    sweep(directory)
    vim.api.nvim_create_autocmd('VimLeavePre', {
      group = vim.api.nvim_create_augroup('mcp_sidecar_attachments', { clear = true }),
      desc = 'mcp-sidecar: remove what results brought',
      callback = M.forget,
    })
  end
  return directory
end

local function write(path, flags, mode, bytes)
  local file, why = vim.uv.fs_open(path, flags, mode)
  if not file then return why end
  local at = 0
  while at < #bytes do
    local count
    count, why = vim.uv.fs_write(file, at == 0 and bytes or bytes:sub(at + 1), at)
    if not count then break end
    at = at + count
  end
  vim.uv.fs_close(file)
  return at < #bytes and why or nil
end

---save puts an attachment into a file that only the user can read, and sets its `path`, or its `problem`.
---@param attachment mcp_sidecar.Attachment
function M.save(attachment)
  if not attachment.bytes then return end
  local ok, directory = pcall(prepare)
  if not ok then
    attachment.problem = ('it could not be saved: %s'):format(directory)
    return
  end
  local path, why
  -- The number of this process may have been another's, whose files are still there.
  repeat
    counter = counter + 1
    path = ('%s/%d-%d.%s'):format(directory, vim.uv.os_getpid(), counter, attachment.extension)
    why = write(path, 'wx', OWNER_ONLY, attachment.bytes)
  until not (why and why:find('^EEXIST'))
  if why then
    attachment.problem = ('it could not be saved: %s'):format(why)
    return
  end
  saved[path] = true
  attachment.path = path
end

---export writes an attachment where the user wants it.
---@param attachment mcp_sidecar.Attachment
---@param path string
---@return string? problem
function M.export(attachment, path) return write(path, 'w', tonumber('644', 8), attachment.bytes) end

return M
