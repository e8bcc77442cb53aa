-- The sessions of this editor: one for each project root.

local config = require('mcp_sidecar.config')

local M = {}

---@type table<string, mcp_sidecar.Session>
local sessions = {}

---nearest is the nearest directory, this one or above it, that has any of the markers. vim.fs.root would rank them
---from Neovim 0.11 on, and prefer the first marker far above to the second one here.
---@param directory string
---@param markers string[]
---@return string?
local function nearest(directory, markers)
  local found = vim.fs.find(markers, { upward = true, path = directory })[1]
  return found and vim.fs.dirname(found)
end

---canonical is the one name of a directory: names of buffers have links resolved, too. One that is not there keeps
---the name that it was given.
---@param directory string
---@return string
local function canonical(directory)
  local path = vim.fn.fnamemodify(directory, ':p')
  path = vim.fs.normalize(vim.uv.fs_realpath(path) or path, { expand_env = false })
  return (path:gsub('(.)/$', '%1'))
end

---chosen is what the user's own function says of a buffer. One that fails, or gives what is no directory, is told once.
---@param root fun(buffer: integer): string?
---@param buffer integer
---@return string?
local function chosen(root, buffer)
  local ok, directory = pcall(root, buffer)
  if ok and (directory == nil or type(directory) == 'string' and directory ~= '') then return directory end
  local problem = ok and ('gave %s, not a directory'):format(vim.inspect(directory))
    or ('failed: %s'):format(directory)
  local text = ('mcp-sidecar: option "root" %s'):format(problem)
  require('mcp_sidecar.guarded')(vim.notify_once, text, vim.log.levels.ERROR)
end

---root_of is the project of a buffer: what the user's own function says, else the nearest directory above it
---that has a marker, else the current directory.
---@param buffer? integer
---@return string
function M.root_of(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local options = config.get()
  local root = options.root and chosen(options.root, buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  -- "oil:///home": what other plugins show is no file, whatever follows.
  if not root and vim.bo[buffer].buftype == '' and not name:match('^%a[%w+.-]+://') then
    root = nearest(vim.fn.fnamemodify(name, ':p:h'), options.root_markers)
  end
  local here = vim.uv.cwd() or '/' -- it may have been removed
  return canonical(root or nearest(here, options.root_markers) or here)
end

---@param root string canonical
---@return mcp_sidecar.Session
local function session_of(root)
  if not sessions[root] then
    if next(sessions) == nil then
      vim.api.nvim_create_autocmd('VimLeavePre', {
        group = vim.api.nvim_create_augroup('mcp_sidecar_leave', {}),
        callback = function()
          for _, session in pairs(sessions) do
            session:leave()
          end
        end,
      })
    end
    sessions[root] = require('mcp_sidecar.session').new(root)
  end
  return sessions[root]
end

---get gives the session of a project, which is made but not started.
---@param root string
---@return mcp_sidecar.Session
function M.get(root) return session_of(canonical(root)) end

---current is that of the current buffer's project.
---@return mcp_sidecar.Session
function M.current() return session_of(M.root_of()) end

---known gives the session of a project if it was made already.
---@param root string as root_of gives it
---@return mcp_sidecar.Session?
function M.known(root) return sessions[root] end

---all are sorted by root.
---@return mcp_sidecar.Session[]
function M.all()
  local all = vim.tbl_values(sessions)
  table.sort(all, function(a, b) return a.root < b.root end)
  return all
end

return M
