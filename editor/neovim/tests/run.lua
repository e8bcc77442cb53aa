-- Runs the cases of tests/test_*.lua, or of those whose path has one of the words in MCP_SIDECAR_TEST_ONLY, in this
-- Neovim. For tests/run it says before each case where it is, in a line that begins with three dots: how many have
-- passed and failed, and the case. The last line is "N passed, M failed".
local MiniTest = require('mini.test')
MiniTest.setup()

local words = vim.split(vim.env.MCP_SIDECAR_TEST_ONLY or '', '%s+', { trimempty = true })
local passed, failed = 0, 0

local function say(...)
  io.stdout:write(...)
  io.stdout:write('\n')
  io.stdout:flush()
end

local function wanted(path)
  return #words == 0 or vim.iter(words):any(function(word) return path:find(word, 1, true) ~= nil end)
end

local function fail(what, why)
  failed = failed + 1
  why = vim.trim(why:gsub('\27%[%d*m', ''))
  say('FAILED ', what, '\n  ', (why:gsub('\n', '\n  ')))
end

---collect gives the cases of all files. One that cannot be loaded is a failure of its own.
local function collect()
  local cases = {}
  for _, path in ipairs(vim.tbl_filter(wanted, vim.fn.globpath('tests', '**/test_*.lua', true, true))) do
    local function this() return { path } end
    local ok, found =
      pcall(MiniTest.collect, { find_files = this, filter_cases = function() return true end })
    if ok then
      vim.list_extend(cases, found)
    else
      fail(path, tostring(found))
    end
  end
  return cases
end

---A case's description begins with its file.
local function name(case)
  local args = #case.args > 0 and ' ' .. vim.inspect(case.args, { newline = ' ', indent = '' }) or ''
  return table.concat(case.desc, ' | ') .. args
end

---reporter tells of failures at once and in full, and of each file how many cases passed.
local function reporter()
  local cases, current = {}, 0
  local here = { passed = 0, since = 0 }

  local function end_file()
    local case = cases[current]
    if not case then return end
    local ms = (vim.uv.hrtime() - here.since) / 1e6
    say(('%s: %d passed, in %.0f ms'):format(case.desc[1], here.passed, ms))
  end

  local function begin(number)
    if current == 0 or cases[number].desc[1] ~= cases[current].desc[1] then
      end_file()
      here = { passed = 0, since = vim.uv.hrtime() }
    end
    current = number
    say(('... %d %d %s'):format(passed, failed, name(cases[number])))
  end

  return {
    start = function(all) cases = all end,
    update = function(number)
      if number ~= current then begin(number) end
      local exec = cases[number].exec
      if exec.state:match('^Pass') then
        passed, here.passed = passed + 1, here.passed + 1
      elseif exec.state:match('^Fail') then
        fail(name(cases[number]), table.concat(exec.fails, '\n'))
      end
      if exec.state:match(' with notes$') then
        say('NOTE ', name(cases[number]), ': ', table.concat(exec.notes, '; '))
      end
    end,
    finish = end_file,
  }
end

local cases = collect()
if #cases > 0 then
  MiniTest.execute(cases, { reporter = reporter() })
  -- tests/run bounds the time.
  vim.wait(3600000, function() return not MiniTest.is_executing() end, 5)
  MiniTest.stop()
elseif failed == 0 then
  fail('tests', 'no test file has ' .. table.concat(words, ' or ') .. ' in its path')
end
say(('%d passed, %d failed'):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
