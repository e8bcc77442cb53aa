-- What a text is, as a filetype. Pure. A wrong guess only colours it wrongly, so it guesses little.

local M = {}

local MIME = {
  ['application/json'] = 'json',
  ['application/xml'] = 'xml',
  ['application/yaml'] = 'yaml',
  ['application/x-yaml'] = 'yaml',
  ['application/toml'] = 'toml',
  ['application/javascript'] = 'javascript',
  ['application/typescript'] = 'typescript',
  ['application/sql'] = 'sql',
  ['application/x-sh'] = 'sh',
  ['text/markdown'] = 'markdown',
  ['text/html'] = 'html',
  ['text/css'] = 'css',
  ['text/csv'] = 'csv',
  ['text/xml'] = 'xml',
  ['text/yaml'] = 'yaml',
  ['text/javascript'] = 'javascript',
  ['text/x-python'] = 'python',
  ['text/x-go'] = 'go',
  ['text/x-rust'] = 'rust',
  ['text/x-c'] = 'c',
  ['text/x-diff'] = 'diff',
  ['text/x-patch'] = 'diff',
}

-- Only the beginning is looked at.
local LOOKED_AT = 8000

local function is_diff(text)
  if text:find('^diff %-%-git ') or text:find('\ndiff %-%-git ') then return true end
  local at = text:find('^%-%-%- [^\n]*\n%+%+%+ ') or text:find('\n%-%-%- [^\n]*\n%+%+%+ ')
  return at ~= nil and text:find('\n@@ ', at) ~= nil
end

local function is_markdown(text)
  local padded = '\n' .. text
  if
    padded:find('\n```')
    or padded:find('%[[^%[%]\n]+%]%(%a+://')
    or padded:find('%*%*[^%s*][^*\n]*%*%*')
  then
    return true
  end
  if padded:find('\n|[^\n]*|[ ]*\n|[ ]*:?%-%-%-') then return true end
  -- A heading; a lone line with # may as well be a comment of a shell.
  local headings = select(2, padded:gsub('\n#+ %S[^\n]*\n\n', ''))
  local items = select(2, padded:gsub('\n[-*] %S', ''))
  return headings >= 2 or (headings == 1 and items >= 1) or items >= 3
end

---guess says "diff", "markdown", or nothing.
---@param text string
---@return string?
function M.guess(text)
  local head = text:sub(1, LOOKED_AT):gsub('\r\n', '\n')
  if is_diff(head) then return 'diff' end
  if is_markdown(head) then return 'markdown' end
  return nil
end

---of_resource is the filetype that a resource's URI or MIME type speaks of.
---@param uri any
---@param mime any
---@param lines string[]
---@return string?
function M.of_resource(uri, mime, lines)
  if type(uri) == 'string' then
    local path = uri:gsub('^%a[%w+.-]*:/*', '/'):gsub('[?#].*$', '')
    local ok, filetype =
      pcall(vim.filetype.match, { filename = vim.uri_decode(path), contents = vim.list_slice(lines, 1, 50) })
    if ok and filetype then return filetype end
  end
  return type(mime) == 'string' and MIME[mime:lower():match('^%s*([^;%s]*)')] or nil
end

return M
