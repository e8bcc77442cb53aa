-- Prints what the plugin adds to the start of Neovim: for who reads it, since it depends on the machine.
local RUNS = 15
local root = vim.fn.getcwd()

---@param values number[]
---@return number
local function median(values)
  table.sort(values)
  return values[math.ceil(#values / 2)]
end

---start gives how long one start took, and of that the plugin's own file, in milliseconds.
---@param with boolean
---@return number total
---@return number own 0 if it was not loaded
local function start(with)
  local log = vim.fn.tempname()
  local command = { vim.v.progpath, '--clean', '--headless', '--startuptime', log }
  if with then vim.list_extend(command, { '--cmd', 'set runtimepath^=' .. root }) end
  vim.system(vim.list_extend(command, { '+qa!' })):wait()
  local total, own
  for line in io.lines(log) do
    total = tonumber(line:match('^([%d.]+) .*: %-%-%- NVIM STARTED')) or total
    own = tonumber(line:match('^[%d.]+ +([%d.]+) .*: sourcing .*plugin/mcp_sidecar%.lua')) or own
  end
  return assert(total, 'no such line in --startuptime'), own or 0
end

local without, with, own = {}, {}, {}
for run = 1, RUNS do
  without[run] = start(false)
  with[run], own[run] = start(true)
end
io.stdout:write(
  ('%.1f ms without the plugin, %.1f ms with it; its file takes %.2f ms (medians of %d)\n'):format(
    median(without),
    median(with),
    median(own),
    RUNS
  )
)
