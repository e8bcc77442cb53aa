-- What `:checkhealth mcp_sidecar` says: pure. A line is { level, text, advice? }.

local counted = require('mcp_sidecar.words').counted

local M = {}

---@alias mcp_sidecar.HealthLine { [1]: "ok"|"info"|"warn"|"error", [2]: string, [3]: string[]? }

---version says whether a program fits the plugin.
---@param path string
---@param output string what `--version` printed
---@param own string
---@return mcp_sidecar.HealthLine
function M.version(path, output, own)
  local given = output:match('^mcp%-sidecar%s+(%S+)')
  if not given then
    local printed = vim.inspect(vim.trim(output:sub(1, 80)))
    return {
      'error',
      ('%s is not mcp-sidecar: asked for its version, it printed %s'):format(path, printed),
      { ':help mcp-sidecar-binary' },
    }
  end
  local version = given:match('^v?(%d+%.%d+%.%d+)')
  if not version then return { 'ok', ('%s (%s: a build of its own)'):format(path, given) } end
  local same = version:match('^%d+%.%d+') == own:match('^%d+%.%d+')
  if same then return { 'ok', ('%s, version %s'):format(path, version) } end
  return {
    'warn',
    ('%s is version %s, the plugin %s'):format(path, version, own),
    { 'Install the same version of both. They work together as long as they speak the same protocol.' },
  }
end

---@param place { path?: string, line?: integer, column?: integer }
local function where(place)
  local path = place.path and place.path ~= '' and vim.fn.fnamemodify(place.path, ':~') or 'the settings'
  if not place.line then return path end
  return ('%s:%d%s'):format(path, place.line, place.column and (':%d'):format(place.column) or '')
end

---How the states of definitions and files are said.
local STATES = {
  shadowed = 'a stronger file has the name',
  alias = 'the same as another server',
  merged = 'a part of it',
  ['left-out'] = 'left out',
}

---files are those that are there.
---@param files mcp_sidecar.DoctorFile[]
---@return mcp_sidecar.HealthLine[]
function M.files(files)
  local lines = {}
  for _, file in ipairs(files) do
    local about = ('%s (%s)'):format(where(file), file.providerName)
    if file.state == 'read' then
      local names = vim.tbl_map(function(definition)
        local state = STATES[definition.state]
        local by = definition.by and (', see %s'):format(definition.by) or ''
        return state and ('%s (%s%s)'):format(definition.name, state, by) or definition.name
      end, file.servers)
      local what = #names > 0 and table.concat(names, ', ') or 'no servers'
      lines[#lines + 1] = { #names > 0 and 'ok' or 'info', ('%s: %s'):format(about, what) }
    elseif file.state == 'broken' then
      lines[#lines + 1] = { 'error', ('%s cannot be used: %s'):format(about, file.why or '') }
    elseif file.state == 'skipped' then
      lines[#lines + 1] = { 'info', ('%s was not looked into: %s'):format(about, file.why or '') }
    end
  end
  if #lines == 0 then
    lines[1] = {
      'warn',
      'no file configures a server',
      { 'Write .mcp.json in the project, or ~/.config/mcp-sidecar/mcp.json: :help mcp-sidecar-servers' },
    }
  end
  return lines
end

---Phases that are as the user wants them.
local FINE = { ready = true, disabled = true, stopped = true }

---servers are as they are now; what is wrong with them is among the findings.
---@param servers mcp_sidecar.Server[]
---@return mcp_sidecar.HealthLine[]
function M.servers(servers)
  if #servers == 0 then return { { 'info', 'there are none' } } end
  return vim.tbl_map(function(server)
    local remembered = server.tools.from == 'cache' and ' (remembered)' or ''
    local tools = counted(server.tools.count, 'tool') .. remembered
    local text = ('%s: %s, %s, %s'):format(server.name, server.phase, tools, where(server.source))
    return { FINE[server.phase] and 'ok' or 'info', text }
  end, servers)
end

---findings are what is wrong, with the likely fix.
---@param findings mcp_sidecar.Finding[]
---@return mcp_sidecar.HealthLine[]
function M.findings(findings)
  if #findings == 0 then return { { 'ok', 'nothing is wrong' } } end
  return vim.tbl_map(function(finding)
    local level = finding.severity == 'error' and 'error' or 'warn'
    return { level, ('%s: %s'):format(where(finding), finding.message), { finding.fix } }
  end, findings)
end

---errors are diagnostics of a configuration that nothing was started of.
---@param errors mcp_sidecar.Diagnostic[]
---@return mcp_sidecar.HealthLine[]
function M.errors(errors)
  return vim.tbl_map(function(diagnostic)
    local level = diagnostic.severity == 'error' and 'error' or 'warn'
    return { level, ('%s: %s'):format(where(diagnostic), diagnostic.error) }
  end, errors)
end

return M
