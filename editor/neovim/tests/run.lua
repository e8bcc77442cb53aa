-- Runs the cases of tests/test_*.lua, or of those whose path has one of the words in MCP_SIDECAR_TEST_ONLY.
local MiniTest = require('mini.test')
MiniTest.setup()
local words = vim.split(vim.env.MCP_SIDECAR_TEST_ONLY or '', '%s+', { trimempty = true })
local function wanted(path)
  return #words == 0 or vim.iter(words):any(function(word) return path:find(word, 1, true) ~= nil end)
end
MiniTest.run({
  collect = {
    find_files = function()
      return vim.tbl_filter(wanted, vim.fn.globpath('tests', '**/test_*.lua', true, true))
    end,
  },
  execute = { reporter = MiniTest.gen_reporter.stdout({ group_depth = 1, quit_on_finish = false }) },
})
vim.wait(600000, function() return not MiniTest.is_executing() end, 20)
local passed, failed = 0, 0
for _, case in ipairs(MiniTest.current.all_cases) do
  if case.exec and case.exec.state:match('^Pass') then
    passed = passed + 1
  else
    failed = failed + 1
  end
end
io.stdout:write(('\n%d passed, %d failed\n'):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
