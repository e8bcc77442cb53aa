-- Numbers in words.
local words = require('mcp_sidecar.words')
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local function each(fn, values) return vim.tbl_map(fn, values) end

T['counts'] = function()
  eq(
    { words.counted(0, 'tool'), words.counted(1, 'tool'), words.counted(2, 'tool') },
    { '0 tools', '1 tool', '2 tools' }
  )
  eq(words.counted(2, 'call runs', 'calls run'), '2 calls run')
end

T['sizes'] = function()
  eq(each(words.size, { 0, 1023, 1536, 5 * 1024 * 1024 }), { '0 B', '1023 B', '1.5 KB', '5.0 MB' })
end

T['durations'] = function()
  eq(each(words.duration, { 0, 999, 1000, 1480, 59949 }), { '0 ms', '999 ms', '1 s', '1.5 s', '59.9 s' })
  eq(each(words.duration, { 59950, 120000, 125000 }), { '1 min', '2 min', '2 min 5 s' })
end

T['countdowns'] = function()
  eq(each(words.countdown, { 0, 1, 89000, 300000 }), { 'now', 'in 1 s', 'in 89 s', 'in 5 min' })
end

return T
