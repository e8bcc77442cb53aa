-- Where the transcripts are, and what stands for the placeholders when no process runs.

local M = {}

---The repository: the nearest directory above this file that has the transcripts.
---@type string
M.repository = (function()
  local here = vim.fs.dirname(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2)))
  for directory in vim.fs.parents(here) do
    if vim.uv.fs_stat(directory .. '/conformance/transcripts') then return directory end
  end
  error('there is no conformance/transcripts above ' .. here)
end)()

---@param path string in the repository
---@return string
function M.read(path)
  local file = assert(io.open(M.repository .. '/' .. path, 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

---A file of dialogues.
---@class replay.DialogueFile
---@field name string without its ending
---@field path string in the repository
---@field text string

---The dialogues in a directory of the repository, by name.
---@param directory string
---@return replay.DialogueFile[]
function M.dialogues(directory)
  local files = {}
  for entry in vim.fs.dir(M.repository .. '/' .. directory) do
    local name = entry:match('^(.*)%.txtar$')
    local path = directory .. '/' .. entry
    if name then table.insert(files, { name = name, path = path, text = M.read(path) }) end
  end
  table.sort(files, function(a, b) return a.name < b.name end)
  return files
end

---The client that $INIT names.
M.client = { name = 'conformance', version = '1' }

local plain = {
  HOME = '/conformance/home',
  PROJECT = '/conformance/project',
  CACHE = '/conformance/cache',
  STATE = '/conformance/state',
  FAKE = '/conformance/fake',
  INIT = '"protocolVersion":1,"client":{"name":"conformance","version":"1"},"cwd":"/conformance/project"',
}

local called = {
  SCRIPT = '/conformance/scripts/%s',
  STDIO = '"command":"/conformance/fake","args":["/conformance/scripts/%s"]',
  URL = 'http://127.0.0.1:1/%s',
}

---Replaces the placeholders. The paths are absolute and exist nowhere.
---@param text string
---@return string
function M.expand(text)
  local function of_name(word, name) return called[word] and called[word]:format(name) end
  local expanded = text:gsub('%$(%u+)%(([%w_%-]+)%)', of_name):gsub('%$(%u+)%f[^%w_]', plain)
  return expanded
end

return M
