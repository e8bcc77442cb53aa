-- `:checkhealth mcp_sidecar`. It starts no server: of a project whose sidecar does not run, it shows what is
-- configured.

local report = require('mcp_sidecar.health_report')

local M = {}

---How long the program, and the session, may take to answer (ms). A health check is the one place that waits.
local LIMIT_MS = 5000

---@param lines mcp_sidecar.HealthLine[]
local function show(lines)
  for _, line in ipairs(lines) do
    vim.health[line[1]](line[2], line[3])
  end
end

---output_of runs the program with the environment that it has as a sidecar.
---@return string stdout
---@return string? why it failed
local function output_of(cmd, cwd)
  local options = { text = true, cwd = cwd, env = require('mcp_sidecar.config').get().env }
  local ok, result = pcall(function() return vim.system(cmd, options):wait(LIMIT_MS) end)
  if not ok then return '', require('mcp_sidecar.process').reason(tostring(result)) end
  -- There is no result of one that was killed, and left its output to a child that lives on.
  if not result or result.code == 124 then
    return '', ('it did not answer within %d seconds'):format(LIMIT_MS / 1000)
  end
  if result.signal ~= 0 then return '', ('it was killed by signal %d'):format(result.signal) end
  if result.code == 0 then return result.stdout end
  local said = vim.trim(result.stderr or '')
  return result.stdout or '', said ~= '' and said or ('it ended with code %d'):format(result.code)
end

local function check_options()
  vim.health.start('mcp-sidecar: options')
  local problems = require('mcp_sidecar.config').problems()
  for _, problem in ipairs(problems) do
    vim.health.error(problem, { ':help mcp-sidecar-options' })
  end
  if #problems == 0 then vim.health.ok('the options are valid') end
end

---@return string? path
local function check_binary()
  vim.health.start('mcp-sidecar: program')
  local config = require('mcp_sidecar.config').get()
  local path, message, looked = require('mcp_sidecar.binary').find(config.binary)
  if not path then
    vim.health.error(message --[[@as string]], { ':help mcp-sidecar-install' })
    return nil
  end
  for _, place in ipairs(looked) do
    vim.health.info(('not from %s: %s'):format(place.where, place.why))
  end
  local version, why = output_of({ path, '--version' })
  if why then
    vim.health.error(('%s does not run: %s'):format(path, why), { 'Is it mcp-sidecar, for this machine?' })
    return nil
  end
  local line = report.version(path, version, require('mcp_sidecar.version'))
  show({ line })
  return line[1] ~= 'error' and path or nil
end

---@param session mcp_sidecar.Session
local function check_session(session)
  local err, doctor
  local cancel = session:doctor(function(failure, result)
    err, doctor = failure, result
  end)
  -- Neovim puts the report into the current window.
  require('mcp_sidecar.ui.prompts').hold(function()
    if vim.wait(LIMIT_MS, function() return (err or doctor) ~= nil end, 5) then return end
    cancel()
    err = nil -- it was nobody's wish
  end)
  if not doctor then
    vim.health.error(err and err.message or 'the sidecar does not answer', { ':Mcp restart' })
    return
  end
  vim.health.start('mcp-sidecar: configuration files')
  show(report.files(doctor.files))
  vim.health.start('mcp-sidecar: servers')
  show(report.servers(vim.tbl_map(function(entry) return entry.server end, doctor.servers)))
  vim.health.start('mcp-sidecar: what is wrong')
  show(report.findings(doctor.findings))
end

---@param path string
---@param session mcp_sidecar.Session
local function check_configuration(path, session)
  local text, why = output_of({ path, 'config', '--json' }, session.root)
  vim.health.start('mcp-sidecar: configuration files')
  -- It fails when something is wrong with the configuration, and says in its output what that is.
  local ok, config = pcall(require('mcp_sidecar.json').decode, text)
  if not ok or type(config) ~= 'table' or type(config.files) ~= 'table' then
    vim.health.error(('the configuration cannot be read: %s'):format(why or ok and 'it is none' or config))
    return
  end
  show(report.files(config.files))
  show(report.errors(config.errors or {}))
end

---project is that of the buffer from which the report was asked for. Its own belongs to none.
---@return mcp_sidecar.Session
local function project()
  local sessions = require('mcp_sidecar.sessions')
  local is_float = vim.api.nvim_win_get_config(0).relative ~= ''
  local before = is_float and vim.fn.winbufnr(vim.fn.winnr('#')) or vim.fn.bufnr('#')
  local is_file = before > 0 and vim.bo[before].buftype == ''
  return sessions.get(sessions.root_of(is_file and before or nil))
end

---check is called by `:checkhealth`.
function M.check()
  vim.health.start('mcp-sidecar: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok(('Neovim %s'):format(vim.version()))
  else
    vim.health.error('Neovim 0.10 or newer is needed')
  end
  check_options()
  local path = check_binary()
  vim.health.start('mcp-sidecar: session')
  local session = project()
  local view = session:view()
  local sidecar = view.sidecar and (' (mcp-sidecar %s)'):format(view.sidecar.version) or ''
  local text = ('%s%s in %s'):format(view.phase, sidecar, view.root)
  if view.phase == 'failed' then
    vim.health.error(('%s\n%s'):format(text, view.error), { ':Mcp restart' })
  elseif view.phase == 'running' then
    vim.health.ok(text)
  else
    vim.health.info(text)
  end
  if view.phase == 'running' then
    check_session(session)
  elseif path then
    check_configuration(path, session)
  end
end

return M
