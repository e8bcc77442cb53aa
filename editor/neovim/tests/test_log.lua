-- What is kept of the log, and what of it is shown.
local Clock = require('clock')
local config = require('mcp_sidecar.config')
local events = require('mcp_sidecar.events')
local log = require('mcp_sidecar.log')
local eq = MiniTest.expect.equality

local notify, echospace = vim.notify, vim.v.echospace
local shown
local clock ---@type mcp_sidecar.test.Clock
local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      shown = {}
      clock = Clock.install()
      vim.notify = function(text, level) table.insert(shown, { text, level }) end
    end,
    post_case = function()
      vim.notify = notify
      clock:remove()
      config.setup(nil)
    end,
  },
})

local function messages(root)
  return vim.tbl_map(function(entry) return entry.message end, log.lines(root))
end

T['what matters is shown at its level, the rest is kept'] = function()
  for _, level in ipairs({ 'debug', 'info', 'warning', 'error' }) do
    log.add('/levels', { level = level, message = 'of ' .. level })
  end
  eq(shown, {
    { 'mcp-sidecar: of warning', vim.log.levels.WARN },
    { 'mcp-sidecar: of error', vim.log.levels.ERROR },
  })
  eq(messages('/levels'), { 'of debug', 'of info', 'of warning', 'of error' })
  eq(messages('/elsewhere'), {})
end

T['the user chooses the level'] = function()
  config.setup({ log_level = vim.log.levels.INFO })
  log.add('/chosen', { level = 'info', message = 'a' })
  config.setup({ log_level = vim.log.levels.OFF })
  log.add('/chosen', { level = 'error', message = 'b' })
  eq(shown, { { 'mcp-sidecar: a', vim.log.levels.INFO } })
end

T['what is quiet is kept and told, not shown'] = function()
  local heard = {}
  local off = events.on(
    'log',
    function(entry) table.insert(heard, { entry.root, entry.level, entry.message }) end
  )
  log.add('/quiet', { level = 'error', message = 'a', server = 's' }, true)
  off()
  eq({ shown, messages('/quiet'), heard }, { {}, { 'a' }, { { '/quiet', 'error', 'a' } } })
end

T['a server that has much to say is shown once in a while'] = function()
  local function says(server, message)
    log.add('/flood', { level = 'warning', message = message, server = server })
  end
  says('a', '1')
  says('a', '2')
  says('b', '3')
  clock:advance(4999)
  says('a', '4')
  clock:advance(1)
  says('a', '5')
  eq(vim.tbl_map(function(note) return note[1] end, shown), {
    'mcp-sidecar: a: 1',
    'mcp-sidecar: b: 3',
    'mcp-sidecar: a: 5',
  })
  eq(messages('/flood'), { '1', '2', '3', '4', '5' })
end

T['the last 500 are kept'] = function()
  for i = 1, 502 do
    log.add('/many', { level = 'debug', message = tostring(i) })
  end
  local kept = messages('/many')
  eq({ #kept, kept[1], kept[500] }, { 500, '3', '502' })
end

T["a server's words are one line that fits"] = function()
  local room = math.max(echospace - #'mcp-sidecar: ', 40)
  eq(log.one_line('a\n  b\r\nc\t\27[31md\27[0m'), 'a | b | c d')
  eq(log.one_line(('x'):rep(room)), ('x'):rep(room))
  eq(log.one_line(('x'):rep(room + 1)), ('x'):rep(room - 1) .. '…')
  eq(vim.fn.strdisplaywidth(log.one_line(('字'):rep(room))) <= room, true)
end

return T
