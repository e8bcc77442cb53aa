-- Logs as lines of a buffer.
local lines = require('mcp_sidecar.ui.logs_lines')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['times are told in local time'] = function()
  eq(lines.clock('1970-01-01T00:00:10Z'), os.date('%H:%M:%S', 10))
  eq(lines.clock('2024-02-29T23:59:59.125Z'), os.date('%H:%M:%S', 1709251199) .. '.125')
  eq(lines.clock('2026-07-31T02:00:00+02:30'), os.date('%H:%M:%S', 1785456000 - 1800))
  eq(lines.clock('2026-07-30T19:00:00-05:00'), os.date('%H:%M:%S', 1785456000))
  eq(lines.clock(1785456000), os.date('%H:%M:%S', 1785456000))
  eq(lines.clock('some\ntime'), 'some\\ntime')
  eq(lines.clock(nil), '')
end

local function line(given)
  return vim.tbl_extend('force', { seq = 1, time = 'T', source = 'stderr', text = 'x' }, given)
end

T['a line of a server'] = MiniTest.new_set({
  parametrize = {
    { { text = 'hello' }, { 'T stderr    hello' } },
    { { source = 'log', level = 'warning', text = 'hm' }, { 'T warning   hm' } },
    { { source = 'log', text = 'hm' }, { 'T log       hm' } },
    { { text = '\27[1;31mred\27[0m' }, { 'T stderr    red' } },
    { { text = 'clear\27[2Jscreen\27c' }, { 'T stderr    clearscreen\\ec' } },
    { { text = 'one\r\ntwo\n' }, { 'T stderr    one', '            two' } },
    { { text = '' }, { 'T stderr    ' } },
    { { source = 'log', level = 'emergency\n', text = 'x' }, { 'T emergenc… x' } },
  },
})
T['a line of a server']['stays one entry, whatever is in it'] = function(given, wanted)
  eq(lines.server({ line(given) }).lines, wanted)
end

T['lines of the sidecar name the server'] = function()
  local block = lines.sidecar({
    { level = 'info', message = 'ready', time = 'T' },
    { level = 'error', message = 'lost\nwhy', server = 'f\ns', time = 'T' },
  })
  eq(block.lines, { 'T info      ready', 'T error     [f\\ns] lost', '            why' })
end

T['levels are marked'] = function()
  local block = lines.server({ line({ source = 'log', level = 'error' }) })
  local groups = vim.tbl_map(function(mark) return mark.group end, block.marks)
  eq(groups, { 'McpTime', 'McpLogError' })
  eq(block.lines[1]:sub(block.marks[2].from + 1, block.marks[2].to), 'error')
end

T['the heading'] = MiniTest.new_set({
  parametrize = {
    { {}, {} },
    { { empty = true }, { 'Nothing yet.' } },
    { { noise = { count = 0, samples = {} } }, {} },
    {
      { noise = { count = 1, samples = { 'hi\n' } } },
      { '1 line on stdout is no message of the protocol:', '  hi\\n' },
    },
    {
      { noise = { count = 9, samples = { 'a', 'b' } }, empty = true },
      { '9 lines on stdout are no messages of the protocol. Some of them:', '  a', '  b' },
    },
    { { problem = 'no server has this name', empty = true }, { 'no server has this name' } },
  },
})
T['the heading']['says what is the matter'] = function(about, wanted) eq(lines.heading(about).lines, wanted) end

return T
