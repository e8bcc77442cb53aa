-- Where the entry of a project's server is in its file.

local M = {}

---in_text searches a file for what looks like the key of the entry: a member of JSON that is an object, a table of
---TOML, a mapping of YAML. Pure.
---@param lines string[]
---@param name string
---@return integer? line
---@return integer? column both from 1, as those of the protocol
function M.in_text(lines, name)
  local key = vim.pesc(vim.json.encode(name):gsub('\\/', '/'))
  local bare = vim.pesc(name)
  local text = table.concat(lines, '\n')
  local starts = {
    '()' .. key .. '%s*:%s*{',
    '\n[ \t]*()%[[^\n%]]*%.' .. bare .. '%]',
    '\n[ \t]*()%[[^\n%]]*%.' .. key .. '%]',
    '\n[ \t]*()' .. bare .. ':%s',
  }
  for _, start in ipairs(starts) do
    local at = ('\n' .. text):match(start)
    if at then
      local before = ('\n' .. text):sub(2, at - 1)
      local _, breaks = before:gsub('\n', '')
      return breaks + 1, #before:match('[^\n]*$') + 1
    end
  end
end

---of is the place as the sidecar knows it. It has none of a server that was denied: that is searched for.
---@param servers mcp_sidecar.Server[] as the session has them
---@param server mcp_sidecar.ProjectServer
---@return integer? line
---@return integer? column
function M.of(servers, server)
  for _, known in ipairs(servers) do
    local source = known.source
    if known.name == server.name and source and source.path == server.path and source.line then
      return source.line, source.column
    end
  end
end

---is_ordinary: a file can be shown in it.
---@param window integer
---@return boolean
local function is_ordinary(window)
  return vim.api.nvim_win_get_config(window).relative == '' and not vim.wo[window].winfixbuf
end

---leave goes where a file can be shown. The overview is closed for that, as by its own key.
local function leave()
  if vim.bo.filetype == 'mcpoverview' then vim.api.nvim_win_close(0, true) end
  if is_ordinary(0) then return end
  local window = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(is_ordinary)
  if window then return vim.api.nvim_set_current_win(window) end
  vim.cmd('botright new')
end

---show opens the file with the cursor at the entry.
---@param servers mcp_sidecar.Server[]
---@param server mcp_sidecar.ProjectServer
function M.show(servers, server)
  local ok, err = pcall(function()
    leave()
    vim.cmd.drop({ args = { vim.fn.fnameescape(server.path) } })
  end)
  if not ok then return vim.notify('mcp-sidecar: ' .. tostring(err), vim.log.levels.ERROR) end
  local line, column = M.of(servers, server)
  if not line then
    line, column = M.in_text(vim.api.nvim_buf_get_lines(0, 0, -1, true), server.name)
  end
  if not line then return end
  line = math.min(line, vim.api.nvim_buf_line_count(0))
  vim.api.nvim_win_set_cursor(0, { line, math.max(0, (column or 1) - 1) })
  vim.cmd('normal! zvzz')
end

return M
