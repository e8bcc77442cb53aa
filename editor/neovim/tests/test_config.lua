-- The user's options: what is wrong is said, and the default counts.
local config = require('mcp_sidecar.config')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local function problems_of(given)
  local _, problems = config.merged(given)
  return problems
end

T['without options the defaults count'] = function()
  for _, given in ipairs({ {}, vim.empty_dict(), function() end, function() return {} end }) do
    local options, problems = config.merged(given)
    eq({ options, problems }, { config.DEFAULTS, {} })
  end
  eq({ config.merged(nil) }, { config.DEFAULTS, {} })
end

T['every option is taken'] = function()
  local given = {
    binary = '~/bin/mcp-sidecar',
    args = { '--debug' },
    env = { A = 'b' },
    autostart = true,
    root = function() end,
    root_markers = { 'Makefile' },
    settings = { disabled = { 'a' }, startup = { gateMs = 5 }, servers = { a = { command = 'x' } } },
    restart = { limit = 0, window_ms = 1 },
    log_level = vim.log.levels.OFF,
    ui = { border = 'none', width = 80, height = 0.5, icons = { ready = '*' }, cancel_key = '<Esc>' },
  }
  local options, problems = config.merged(given)
  eq(problems, {})
  given.settings.startup.uncached = 'background'
  eq(options, given)
end

T['a list takes the place of the default, a group only of what it has'] = function()
  local options =
    config.merged({ root_markers = {}, restart = { limit = 9 }, ui = { icons = { ready = 'x' } } })
  eq(options.root_markers, {})
  eq(options.restart, { limit = 9, window_ms = config.DEFAULTS.restart.window_ms })
  eq(options.ui.border, config.DEFAULTS.ui.border)
end

T['each kind of mistake is said, and the default counts'] = function()
  local nan, infinity = 0 / 0, math.huge
  local wrong = {
    binary = { 5, true, {}, print, '' },
    args = { 'x', { 1 }, { a = 'b' }, { 'a', {} }, true },
    env = { 'A=b', { 'A=b' }, { A = 1 }, { [5] = 'x' } },
    autostart = { 'yes', 1 },
    root = { '/home', {} },
    root_markers = { '.git', { 1 } },
    settings = { 'x', 5, { disabled = 'a' }, { disabled = { 1 } }, { disabled = { a = 'b' } } },
    restart = { 5, 'x' },
    log_level = { 'warn', -1, 1.5, nan, infinity },
    ui = { 'rounded' },
    ['restart.limit'] = { -1, 0.5, '3', infinity },
    ['restart.window_ms'] = { -1, 'x' },
    ['ui.border'] = {
      5,
      'fancy',
      {},
      { 'a', 'b', 'c' },
      { 1 },
      { 'ab' },
      { {} },
      { { 'a', 'b', 'c' } },
    },
    ['ui.width'] = { 'x', 0, -1, nan, infinity },
    ['ui.height'] = { {}, 0 },
    ['ui.icons'] = { 'x', 5 },
    ['ui.cancel_key'] = { 5, {}, ('x'):rep(51) },
  }
  for path, values in pairs(wrong) do
    for _, value in ipairs(values) do
      local group, name = path:match('^(%w+)%.(.*)$')
      local given = group and { [group] = { [name] = value } } or { [path] = value }
      local options, problems = config.merged(given)
      eq(
        { path, value ~= value and 'nan' or value, #problems },
        { path, value ~= value and 'nan' or value, 1 }
      )
      eq({ path, vim.startswith(problems[1], ('option "%s" is '):format(path)) }, { path, true })
      eq({ path, options }, { path, config.DEFAULTS })
      eq({ path, #problems[1] < 200, problems[1]:find('\n', 1, true) }, { path, true })
    end
  end
end

T['an icon that is none is said, and the others count'] = function()
  local options, problems =
    config.merged({ ui = { icons = { redy = 'x', ready = 1, failed = '!', [1] = 'x' } } })
  eq(options.ui.icons, { failed = '!' })
  eq(#problems, 3)
  eq(problems[1]:match('^unknown option "ui.icons.1": there are ask, backoff, '), problems[1]:sub(1, 53))
  eq({ problems[2], problems[3] }, {
    'option "ui.icons.ready" is 1, not a string',
    'unknown option "ui.icons.redy": did you mean "ui.icons.ready"?',
  })
end

T['all icons of the overview and all phases may have one'] = function()
  local phases = require('mcp_sidecar.ui.phases')
  for name in pairs(phases.icons) do
    eq({ name, vim.list_contains(config.ICONS, name) }, { name, true })
  end
  for _, name in ipairs(config.ICONS) do
    -- A phase that is not known looks as its status.
    local kind = phases.look({ phase = name, status = 'connected' }).kind
    eq({ name, phases.icons[name] ~= nil or kind ~= 'ready' }, { name, true })
  end
end

T['no default can be a function'] = function()
  for name in pairs(config.DEFAULTS) do
    local problem = problems_of({ [name] = print })[1] or name
    eq({ problem, problem:match('^option') }, { problem, 'option' })
  end
end

T['a border may be of any form that Neovim has'] = function()
  local forms = {
    'none',
    'single',
    'double',
    'rounded',
    'solid',
    'shadow',
    { '+' },
    { '+', '-' },
    { '', '─', '', '' },
    { { '+', 'X' } },
    {
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    },
  }
  for _, border in ipairs(forms) do
    eq({ border, problems_of({ ui = { border = border } }) }, { border, {} })
    local window = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
      relative = 'editor',
      row = 1,
      col = 1,
      width = 5,
      height = 2,
      border = border,
    })
    vim.api.nvim_win_close(window, true)
  end
end

T['an unknown option has a suggestion, or all there are'] = function()
  local rows = {
    { { binry = 'x' }, 'unknown option "binry": did you mean "binary"?' },
    { { command = 'x' }, 'unknown option "command": there are args, autostart, binary' },
    { { Binary = 'x' }, 'unknown option "Binary": did you mean "binary"?' },
    { { autoStart = true }, 'did you mean "autostart"?' },
    { { logLevel = 1 }, 'did you mean "log_level"?' },
    { { ['root-markers'] = {} }, 'did you mean "root_markers"?' },
    { { setting = {} }, 'did you mean "settings"?' },
    { { settings_of = {} }, 'did you mean "settings"?' },
    { { ui = { borders = 'x' } }, 'unknown option "ui.borders": did you mean "ui.border"?' },
    { { ui = { x = 'x' } }, 'unknown option "ui.x": there are border, cancel_key' },
    { { 'rounded' }, 'unknown option "1": there are' },
    { { [true] = 1 }, 'unknown option "true": there are' },
    { { [''] = 1 }, 'unknown option "": there are' },
  }
  for _, row in ipairs(rows) do
    local problems = problems_of(row[1])
    eq({ row[2], #problems, problems[1]:find(row[2], 1, true) ~= nil }, { row[2], 1, true })
  end
end

T['all mistakes are said, and the rest of the options counts'] = function()
  local options, problems =
    config.merged({ args = 5, env = { A = 'b' }, what = 1, ui = { width = 'x', height = 9 } })
  eq({ #problems, options.env, options.ui.height, options.args }, { 3, { A = 'b' }, 9, {} })
end

T['options that are no table, and a function that fails, are said'] = function()
  for _, given in ipairs({ 5, 'x', true, function() return 'x' end, function() return 5, 6 end }) do
    local options, problems = config.merged(given)
    eq({ options, #problems, problems[1]:match('not a table') }, { config.DEFAULTS, 1, 'not a table' })
  end
  for _, fault in ipairs({ 'my mistake', { 'my mistake' } }) do
    local options, problems = config.merged(function() error(fault) end)
    eq(
      { options, #problems, problems[1]:match('function that failed') },
      { config.DEFAULTS, 1, 'function that failed' }
    )
  end
end

-- What follows is about this Neovim's own options.
local notify = vim.notify
local shown
T['this Neovim'] = MiniTest.new_set({
  hooks = {
    pre_case = function()
      shown = {}
      vim.notify = function(text) table.insert(shown, text) end
    end,
    post_case = function()
      vim.notify = notify
      vim.g.mcp_sidecar = nil
      config.setup(nil)
    end,
  },
})

T['this Neovim']['vim.g.mcp_sidecar may be a table with functions in it'] = function()
  vim.g.mcp_sidecar = { root = function(buffer) return '/root/' .. buffer end, settings = { servers = {} } }
  config.refresh()
  eq({ config.get().root(5), config.problems() }, { '/root/5', {} })
end

T['this Neovim']['vim.g.mcp_sidecar may be a function, which is asked at every start'] = function()
  local count = 0
  vim.g.mcp_sidecar = function()
    count = count + 1
    return { args = { tostring(count) } }
  end
  config.refresh()
  config.refresh()
  eq({ config.get().args, config.get().args, count }, { { '2' }, { '2' }, 2 })
end

T['this Neovim']['setup wins, until it is given nothing'] = function()
  vim.g.mcp_sidecar = { args = { 'g' } }
  config.setup({ args = { 'setup' } })
  eq(config.get().args, { 'setup' })
  config.setup(nil)
  eq(config.get().args, { 'g' })
end

T['this Neovim']['a mistake is shown once, and kept for checkhealth'] = function()
  vim.g.mcp_sidecar = { once = 1 }
  config.refresh()
  config.refresh()
  eq({ #shown, shown[1]:match('^mcp%-sidecar: unknown option "once"') ~= nil }, { 1, true })
  eq(#config.problems(), 1)
  vim.g.mcp_sidecar = {}
  config.refresh()
  eq(config.problems(), {})
end

T['this Neovim']['a mistake that cannot be shown disturbs nobody'] = function()
  vim.notify = function() error('no room') end
  vim.g.mcp_sidecar = { shown_by_nobody = 1 }
  eq({ config.refresh().args, #config.problems() }, { {}, 1 })
  vim.notify = function(text) table.insert(shown, text) end
  require('patience').await('the error', function() return shown[1] end)
end

return T
