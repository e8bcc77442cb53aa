-- What is said of a program that could not be started, or has ended.
local process = require('mcp_sidecar.process')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

T['of stderr the last lines are told, or why a Go program crashed'] = MiniTest.new_set({
  parametrize = {
    { '', {} },
    { '\n \n', {} },
    { 'one\r\ntwo\n', { 'one', 'two' } },
    { '1\n2\n3\n4\n5\n6\n', { '2', '3', '4', '5', '6' } },
    {
      'x\npanic: no\n\ngoroutine 1\nmain.go\n1\n2\n3\n',
      { 'panic: no', 'goroutine 1', 'main.go', '1', '2' },
    },
    { 'fatal error: all\nx', { 'fatal error: all', 'x' } },
    { 'no panic: here', { 'no panic: here' } },
  },
})

T['of stderr the last lines are told, or why a Go program crashed']['test'] = function(stderr, lines)
  eq(process.telling(stderr), lines)
end

T['a sentence says how it ended'] = MiniTest.new_set({
  parametrize = {
    { { code = 0, spoke = true }, 'the sidecar (/bin/x) ended with exit code 0' },
    { { code = 3, spoke = false }, 'the sidecar (/bin/x) ended with exit code 3 before it said anything' },
    {
      { code = 0, signal = 9, spoke = true, stderr = 'bye\n' },
      'the sidecar (/bin/x) was killed by signal 9\n  stderr: bye',
    },
    {
      { code = 0, spoke = false, unread = 'usage: x' },
      '/bin/x does not speak the protocol: it printed "usage: x". Is it mcp-sidecar?',
    },
    {
      { code = 2, spoke = false, unread = '?', stderr = 'bad flag' },
      '/bin/x does not speak the protocol: it printed "?"\n  stderr: bad flag',
    },
    {
      { code = 0, spoke = true, fault = 'no length', unread = 'abc' },
      'the sidecar (/bin/x) sent what is no message (no length): "abc"',
    },
  },
})

T['a sentence says how it ended']['test'] = function(facts, sentence)
  facts = vim.tbl_extend('keep', facts, { binary = '/bin/x', unread = '', stderr = '' })
  eq(process.sentence(facts), sentence)
end

local program
T['a program that cannot be started'] = MiniTest.new_set({
  hooks = {
    pre_case = function() program = vim.fn.tempname() end,
    post_case = function() vim.fn.delete(program, 'rf') end,
  },
  parametrize = {
    {
      '#!/no/interpreter\n',
      'ENOENT: no such file or directory. It is there: the interpreter in its first line, '
        .. 'or the loader that it is built for, is not',
    },
    { false, 'EACCES: permission denied' },
  },
})

T['a program that cannot be started']['is told without the insides of Neovim'] = function(text, why)
  if text then
    local file = assert(io.open(program, 'wb'))
    file:write(text)
    file:close()
    vim.uv.fs_chmod(program, 493)
  else
    vim.fn.mkdir(program)
  end
  local child, said = process.start({ program }, {})
  eq({ child, said }, { nil, ('cannot start %s: %s'):format(program, why) })
end

T['one that leaves its output to a child is told of all the same'] = function()
  program = vim.fn.tempname()
  vim.fn.writefile({ '#!/bin/sh', 'sleep 600 &', 'exec cat' }, program)
  vim.uv.fs_chmod(program, 493)
  local child = assert(process.start({ program }, {}))
  local ends = {}
  child:listen({ message = function() end, ended = function(reason) table.insert(ends, reason) end })
  child:close()
  require('patience').await('its end', function() return #ends > 0 end)
  vim.uv.kill(-child.pid, 'sigkill')
  vim.fn.delete(program)
  eq(#ends, 1)
end

return T
