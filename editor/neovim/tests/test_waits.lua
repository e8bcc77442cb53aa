-- Nothing waits: neither what is written in the sources, but for the exceptions that are named here, nor what runs while
-- a sidecar answers nothing.
local World = require('world')
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

---Ends of expressions that wait, as Lua patterns.
local WAITING = {
  'vim%.wait$',
  ':wait$',
  '_sync$',
  'fn%.input%w*$',
  'fn%.confirm$',
  'fn%.getchar%w*$',
  'fn%.system%w*$',
  'fn%.%w*wait$',
  'rpcrequest$',
  'io%.popen$',
  'io%.read$',
  'io%.stdin$',
  'os%.execute$',
  'uv%.run$',
  'uv%.sleep$',
  'cmd%.sleep$',
  'cmd%["?!',
  'fn%[', -- a function of Vim that nobody sees by its name
}

---Commands that wait, in the text of vim.cmd().
local WAITING_COMMANDS =
  { '^%s*sleep', '^%s*!', 'silent!?%s+!', '^%s*r[ead]*%s+!', '^%s*call%s+input', '^%s*make%f[%W]' }

---@param pattern string[]
local function any(text, pattern)
  return vim.iter(pattern):any(function(one) return text:find(one) ~= nil end)
end

---waits_in gives the expressions in a text of Lua that wait.
---@param source string
---@return string[]
local function waits_in(source)
  local found = {}
  local tree = vim.treesitter.get_string_parser(source, 'lua'):parse()[1]
  local query = vim.treesitter.query.parse(
    'lua',
    [[
      (dot_index_expression) @expression
      (method_index_expression) @expression
      (bracket_index_expression) @expression
      (function_call name: (_) @function arguments: (arguments (string content: (_) @command)))
    ]]
  )
  local command_of = false
  for id, node in query:iter_captures(tree:root(), source) do
    local text = vim.treesitter.get_node_text(node, source)
    local kind = query.captures[id]
    if kind == 'function' then
      command_of = text:find('vim%.cmd$') ~= nil
        or text:find('nvim_command$') ~= nil
        or text:find('nvim_exec2$') ~= nil
    elseif kind == 'command' and command_of and any(text, WAITING_COMMANDS) then
      found[#found + 1] = text
    elseif kind == 'expression' and any(text, WAITING) then
      found[#found + 1] = text:match('[%w_]+[%.:][%w_]+$') or text:match(':[%w_]+$') or text
    end
  end
  return found
end

local SEEN = {
  ['vim.wait(100)'] = 'vim.wait',
  ['local wait = vim.wait'] = 'vim.wait',
  ['vim.system({ "x" }):wait()'] = ':wait',
  ['local done = job:wait(1000)'] = 'job:wait',
  ['local out = vim.fn.system("x")'] = 'fn.system',
  ['local fn = vim.fn\nfn.systemlist({ "x" })'] = 'fn.systemlist',
  ['pcall(vim.fn.input, "x")'] = 'fn.input',
  ['vim.fn.inputlist({})'] = 'fn.inputlist',
  ['vim.fn.confirm("x")'] = 'fn.confirm',
  ['vim.fn.getcharstr()'] = 'fn.getcharstr',
  ['vim.fn.jobwait({ 1 })'] = 'fn.jobwait',
  ['vim.fn["system"]("x")'] = 'vim.fn["system"]',
  ['vim.rpcrequest(1, "x")'] = 'vim.rpcrequest',
  ['io.popen("x")'] = 'io.popen',
  ['os.execute("x")'] = 'os.execute',
  ['vim.uv.run("once")'] = 'uv.run',
  ['vim.cmd.sleep("1m")'] = 'cmd.sleep',
  ['vim.cmd("sleep 1")'] = 'sleep 1',
  ['vim.cmd([[silent !make]])'] = 'silent !make',
  ['vim.lsp.buf_request_sync(0, "x")'] = 'lsp.buf_request_sync',
}

local UNSEEN = {
  '-- vim.wait(100)',
  'local text = "vim.wait(100)"',
  'vim.system({ "x" }, {}, function() end)',
  'vim.ui.input({}, function() end)',
  'require("mcp_sidecar").request("mcp/wait")',
  'vim.cmd("split") vim.cmd.edit("sleep")',
  'local waiting = self.waiting',
}

T['the scan sees what waits, and nothing else'] = function()
  for source, expression in pairs(SEEN) do
    eq({ source, waits_in(source) }, { source, { expression } })
  end
  for _, source in ipairs(UNSEEN) do
    eq({ source, waits_in(source) }, { source, {} })
  end
end

---What may be there, and why.
local ALLOWED = {
  ['lua/mcp_sidecar/health.lua'] = {
    [':wait'] = ':checkhealth calls it synchronously: five seconds at most for the program',
    ['vim.wait'] = 'and as long for the sidecar',
  },
  ['lua/mcp_sidecar/ui/input.lua'] = {
    ['fn.inputsecret'] = 'vim.ui has no form for secrets; it waits for keys, as any prompt, and events go on',
  },
  ['lua/mcp_sidecar/client.lua'] = {
    ['Client:wait'] = 'a request of that name, with a callback',
  },
}

T['the sources wait nowhere else'] = function()
  local files = vim.list_extend(
    vim.fn.globpath('lua', '**/*.lua', true, true),
    vim.fn.globpath('plugin', '**/*.lua', true, true)
  )
  eq(#files > 50, true)
  local found, allowed = {}, {}
  for _, path in ipairs(files) do
    local file = assert(io.open(path, 'rb'))
    for _, expression in ipairs(waits_in(file:read('*a'))) do
      found[('%s: %s'):format(path, expression)] = true
    end
    file:close()
  end
  for path, expressions in pairs(ALLOWED) do
    for expression in pairs(expressions) do
      allowed[('%s: %s'):format(path, expression)] = true
    end
  end
  eq(found, allowed)
end

local world ---@type mcp_sidecar.test.World
T['while nothing is answered'] =
  MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---watchful has whatever waits in the child fail, and kept in `waited`.
local function watchful(child)
  child.o.lines, child.o.columns = 40, 200
  child.lua([[
    mcp = require('mcp_sidecar')
    waited, notes = {}, {}
    vim.notify = function(message) table.insert(notes, message) end
    local function refuse(name)
      return function()
        table.insert(waited, debug.traceback(name))
        error(name .. ' waits')
      end
    end
    for _, name in ipairs({ 'system', 'systemlist', 'input', 'inputlist', 'inputsecret', 'confirm', 'getchar',
      'getcharstr', 'jobwait', 'wait' }) do
      vim.fn[name] = refuse('vim.fn.' .. name)
    end
    vim.wait, io.popen, os.execute = refuse('vim.wait'), refuse('io.popen'), refuse('os.execute')
    vim.uv.run, vim.uv.sleep = refuse('vim.uv.run'), refuse('vim.uv.sleep')
    local system = vim.system
    vim.system = function(...) return setmetatable({ wait = refuse(':wait') }, { __index = system(...) }) end
  ]])
end

---Calls of every public function, and of its form for coroutines.
local CALLS = {
  setup = { 'mcp.setup(vim.g.mcp_sidecar)' },
  tools = { 'mcp.tools()' },
  servers = { 'mcp.servers()' },
  status = { 'mcp.status()' },
  statusline = { 'mcp.statusline()' },
  on = { "mcp.on('state', done)()" },
  start = { 'mcp.start(done)', 'mcp.co.start()' },
  call = {
    "mcp.call('mcp_a_echo', { text = ('x'):rep(1000000) }, nil, done)",
    "mcp.co.call('mcp_a_echo', { text = ('x'):rep(1000000) })",
  },
  request = { "mcp.request('mcp/wait', nil, done)", "mcp.co.request('mcp/wait')" },
  connect = { "mcp.connect('a', nil, done)", "mcp.co.connect('a')" },
  disconnect = { "mcp.disconnect('a', done)", "mcp.co.disconnect('a')" },
  reload = { 'mcp.reload(nil, done)', 'mcp.co.reload()' },
  toggle = { "mcp.toggle('a', done)", "mcp.co.toggle('a')" },
  share = { 'mcp.share(done)', 'mcp.co.share()' },
  openai_tools = {
    "select(2, mcp.openai_tools())({ { id = '1', ['function'] = { name = 'mcp_a_echo' } } }, done)",
  },
  anthropic_tools = {
    "select(2, mcp.anthropic_tools())({ { type = 'tool_use', id = '1', name = 'mcp_a_echo' } }, done)",
  },
  stop = { 'mcp.stop(done)', 'mcp.co.stop()' },
}

---Commands, each subcommand with all that it takes.
local COMMANDS = {
  [''] = { '' },
  status = { '' },
  tools = { '' },
  call = { '', 'mcp_a_echo {}' },
  reload = { '', 'changed' },
  connect = { 'a' },
  disconnect = { 'a' },
  logs = { '', 'a' },
  trust = { '' },
  start = { '' },
  restart = { '' },
  stop = { '' },
}

---answers fails unless the editor takes keys and requests, and nothing has waited.
local function answers(child, what)
  eq({ what, child.is_blocked() }, { what, false })
  eq({ what, child.lua_get('waited') }, { what, {} })
  child.type_keys('<Esc>', ':let g:typed = 1', '<CR>')
  eq({ what, child.lua('local typed = vim.g.typed vim.g.typed = nil return typed') }, { what, 1 })
end

---everything calls each function and gives each command; what ends the session comes last.
local function everything(child)
  local functions = vim.tbl_keys(CALLS)
  table.sort(functions, function(a, b)
    if a == 'stop' or b == 'stop' then return b == 'stop' and a ~= 'stop' end
    return a < b
  end)
  for _, name in ipairs(functions) do
    local with_callback, in_coroutine = unpack(CALLS[name])
    child.lua('local function done() end ' .. with_callback)
    answers(child, with_callback)
    if in_coroutine then
      child.lua(('coroutine.wrap(function() %s end)()'):format(in_coroutine))
      answers(child, in_coroutine)
    end
  end
  local commands = vim.tbl_keys(COMMANDS)
  table.sort(commands)
  for _, name in ipairs(commands) do
    for _, rest in ipairs(COMMANDS[name]) do
      local command = vim.trim(('Mcp %s %s'):format(name, rest))
      child.cmd(command)
      answers(child, command)
      child.fn.getcompletion(command .. ' ', 'cmdline')
      answers(child, command .. '<Tab>')
    end
  end
end

T['while nothing is answered']['all functions and subcommands are tried'] = function()
  local child = world:child()
  local functions = child.lua([[
    local mcp, forms = require('mcp_sidecar'), {}
    for name, value in pairs(mcp) do
      if type(value) == 'function' then forms[name] = mcp.co[name] and 2 or 1 end
    end
    return forms
  ]])
  eq(functions, vim.tbl_map(function(forms) return #forms end, CALLS))
  local commands = vim.tbl_keys(require('mcp_sidecar.command').SUBCOMMANDS)
  commands[#commands + 1] = ''
  local tried = vim.tbl_keys(COMMANDS)
  table.sort(commands)
  table.sort(tried)
  eq(commands, tried)
end

T['while nothing is answered']['a sidecar that only reads keeps nobody'] = function()
  local child = world:child({ binary = world:script('silent', '#!/bin/sh\nexec cat >/dev/null\n') })
  watchful(child)
  child.lua('mcp.start()')
  eq(child.lua_get('mcp.status().phase'), 'starting')
  everything(child)
  child.lua([[mcp.stop(function() gone = true end)]])
  child.await('return gone')
end

T['while nothing is answered']['a sidecar that halts keeps nobody'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = world:child()
  watchful(child)
  child.lua([[mcp.request('mcp/wait', nil, function(err) opened = err or true end)]])
  eq(child.await('return opened'), true)
  local sidecar = vim
    .iter(world:processes())
    :find(function(process) return process.command == vim.env.MCP_SIDECAR_TEST_BINARY end)
  vim.uv.kill(sidecar.pid, 'sigstop')
  local ok, why = pcall(everything, child)
  vim.uv.kill(sidecar.pid, 'sigcont')
  eq(ok and 'answered' or why, 'answered')
end

return T
