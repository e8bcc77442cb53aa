-- What a user does and sees, from the key to the server and back: real Neovim, the real sidecar, scripted servers
-- and one from npm.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---neovim starts one of the size of an old terminal.
---@param options? table
local function neovim(options)
  local child = world:attentive(options)
  child.o.lines, child.o.columns = 24, 80
  return child
end

---shows waits until the screen has a text.
local function shows(child, text)
  child.lua([[
    function on_screen(text)
      vim.cmd.redraw()
      for row = 1, vim.o.lines do
        local line = {}
        for column = 1, vim.o.columns do
          line[column] = vim.fn.screenstring(row, column)
        end
        if table.concat(line):find(text, 1, true) then return true end
      end
    end
  ]])
  child.await('return on_screen(...)', text)
end

---ready waits until a server is.
local function ready(child, server)
  child.await(
    [[
    local name = ...
    return vim.iter(mcp.servers()):any(function(server) return server.name == name and server.phase == 'ready' end)
  ]],
    server
  )
end

---quit types `:qa!`, which ends the connection to it, too.
local function quit(child)
  pcall(child.cmd, 'qa!')
  world:empty()
end

local HELD = [[
tool echo
on start #2
  hold go
]]

T['a deferred tool is called before its server is up'] = function()
  world:user_servers({ slow = HELD })
  local first = neovim()
  first.cmd('Mcp start')
  ready(first, 'slow')
  quit(first)

  local child = neovim()
  child.lua(
    [[mcp.call('mcp_slow_echo', { n = 1 }, nil, function(err, outcome) ended = { err, outcome } end)]]
  )
  world.hub:saw('slow holding go')
  child.await([[return #mcp.tools() == 1 and mcp.tools()[1].state == 'deferred']])
  eq(child.lua('return ended'), vim.NIL)
  world.hub:release('slow', 'go')
  child.await('return ended')
  eq(child.lua('return { ended[1], ended[2].details.deferred, ended[2].result.content[1].text }'), {
    vim.NIL,
    true,
    'echo {"n":1}',
  })
  eq(child.lua('return mcp.tools()[1].state'), 'live')
end

T['an open overview follows its servers without a keypress'] = function()
  world:user_servers({
    a = 'tool old\nspare new\non notifications/initialized\n  hold change\n  tools old new\n  changed',
    b = 'tool b1\non start\n  hold b',
  })
  local child = neovim()
  child.lua([[
    changes = {}
    vim.api.nvim_create_autocmd('User', { pattern = 'McpToolsChanged', callback = function(event)
      for _, tool in ipairs(event.data.added) do table.insert(changes, tool.name) end
    end })
  ]])
  child.cmd('Mcp')
  world.hub:saw('b holding b')
  ready(child, 'a')
  shows(child, '1/2 servers, 1 tool')
  child.type_keys('zR')
  shows(child, '● old')
  world.hub:saw('a holding change')
  world.hub:release('a', 'change')
  shows(child, '● new')
  world.hub:release('b', 'b')
  shows(child, '2/2 servers, 3 tools')
  eq(child.lua('return changes'), { 'mcp_a_old', 'mcp_a_new', 'mcp_b_b1' })
  vim.uv.kill(world.hub:pids('b')[1], 'sigkill')
  world.hub:saw('b gone')
  world.hub:saw('b started')
end

T['a crash of the sidecar is reported once, and :Mcp restart recovers'] = function()
  world:user_servers({ a = 'tool echo' })
  local child = neovim({ restart = { limit = 0 } })
  child.lua('mcp.start()')
  ready(child, 'a')
  local sidecar = vim
    .iter(world:processes())
    :find(function(process) return process.command == vim.env.MCP_SIDECAR_TEST_BINARY end)
  vim.uv.kill(sidecar.pid, 'sigkill')
  child.await([[return mcp.status().phase == 'failed']])
  world.hub:empty()
  child.lua('pcall(mcp.statusline) vim.cmd.redraw()')
  local notes = child.lua('return notes')
  eq(#notes, 1)
  eq(notes[1][1]:match('was killed by signal 9.*:Mcp restart'), notes[1][1]:match('was killed.*restart'))
  eq({ notes[1][2], #child.lua('return mcp.tools()') }, { vim.log.levels.ERROR, 0 })
  child.cmd('Mcp restart')
  ready(child, 'a')
  child.lua([[mcp.call('mcp_a_echo', nil, nil, function(err, outcome) ended = err or outcome end)]])
  eq(child.await('return ended').result.content[1].text, 'echo {}')
end

T[':qa! leaves no process, whatever runs'] = function()
  world:user_servers({
    calls = 'tool echo\non start\n  grandchild\non tools/call echo\n  hold forever',
    held = 'tool b\non start\n  ignore eof\n  hold forever',
  })
  local child = neovim()
  child.lua([[mcp.call({ server = 'calls', tool = 'echo' })]])
  world.hub:saw('calls holding forever')
  world.hub:saw('held holding forever')
  quit(child)
  world.hub:empty()
end

T["a project's server runs when the dialog allows it, and is remembered"] = function()
  world:project_servers({ own = 'tool echo' })
  local child = neovim()
  child.cmd('Mcp')
  shows(child, 'MCP servers of this project')
  shows(child, 'runs  ' .. vim.env.MCP_SIDECAR_TEST_FAKE:sub(1, 20))
  eq(world.hub:count('own started'), 0)
  child.type_keys('a', '<CR>')
  ready(child, 'own')
  quit(child)

  local again = neovim()
  again.cmd('Mcp')
  ready(again, 'own')
  eq(again.lua('return notes'), {})
end

T['a dialog does not come up by itself'] = function()
  world:project_servers({ own = 'tool echo' })
  local child = neovim()
  child.lua('mcp.start()')
  child.await('return #notes == 1')
  eq(child.lua('return notes[1][1]'):find('wait for you: own', 1, true) ~= nil, true)
  eq(#child.api.nvim_list_wins(), 1)
  child.cmd('Mcp trust')
  shows(child, '[ ] own   not decided')
  child.type_keys('d', '<CR>')
  child.await('return #mcp.servers() == 0')
  eq(world.hub:count('own started'), 0)
end

T['a secret of a configuration file is asked for, and not shown'] = function()
  local entry = world:fake('s', 'tool show\non tools/call show\n  env TOKEN')
  entry.type, entry.env = 'stdio', { TOKEN = '${input:token}' }
  local input = { type = 'promptString', id = 'token', description = 'The token', password = true }
  world:write('project/.vscode/mcp.json', vim.json.encode({ inputs = { input }, servers = { s = entry } }))
  local child = neovim({ settings = { trust = { project = 'allow' } } })
  child.cmd('Mcp start')
  child.await('return vim.fn.mode() == "c"')
  child.type_keys('abc', '<CR>')
  ready(child, 's')
  child.lua([[mcp.call({ server = 's', tool = 'show' }, nil, nil, function(_, outcome) ended = outcome end)]])
  eq(child.await('return ended').result.content[1].text, 'abc')
end

T['what is switched off stays off in the next Neovim'] = function()
  world:user_servers({ a = 'tool one\ntool two', b = 'tool three' })
  local child = neovim()
  child.cmd('Mcp start')
  child.await('return #mcp.tools() == 3')
  child.lua([[mcp.toggle('a/one') mcp.toggle('b')]])
  child.await('return #mcp.tools() == 1')
  quit(child)

  local again = neovim()
  again.cmd('Mcp')
  again.await('return #mcp.tools() == 1')
  eq(again.lua('return mcp.status().disabled'), { 'a/one', 'b' })
  again.lua([[mcp.toggle('b')]])
  again.await('return #mcp.tools() == 2')
end

T['two projects have two sidecars'] = function()
  world:user_servers({ a = 'tool echo' })
  world:write('project/one/.git/HEAD', '')
  world:write('project/two/.git/HEAD', '')
  local child = neovim()
  for _, name in ipairs({ 'one', 'two' }) do
    child.cmd(('edit %s/%s/file'):format(world.project, name))
    child.lua('mcp.start()')
    ready(child, 'a')
    eq(vim.fs.basename(child.lua('return mcp.status().root')), name)
  end
  eq(#world.hub:pids('a'), 2)
  child.cmd('Mcp stop')
  child.await([[return notes[1] and notes[1][1] == 'mcp-sidecar: stopped']])
  eq(#world.hub:pids('a'), 1)
end

T['a model gets the tools, and its calls are run'] = function()
  world:user_servers({ a = 'tool echo\ntool fails\non tools/call fails\n  error -32000 no' })
  local child = neovim()
  eq(child.lua('local definitions = mcp.openai_tools() return definitions'), {})
  child.await('return #mcp.tools() > 0') -- its server may be ready a moment before that is told
  local names = child.lua([[
    local definitions, dispatch = mcp.openai_tools()
    local function call(id, name, arguments)
      return { id = id, type = 'function', ['function'] = { name = name, arguments = arguments } }
    end
    dispatch({
      call('1', 'mcp_a_echo', '{"n":12345678901234567890}'),
      call('2', 'mcp_a_fails', ''),
      call('3', 'no', '{'),
    }, function(messages) answers = messages end)
    return vim.tbl_map(function(definition) return definition['function'].name end, definitions)
  ]])
  eq(names, { 'mcp_a_echo', 'mcp_a_fails' })
  local answers = child.await('return answers')
  eq(vim.tbl_map(function(answer) return answer.tool_call_id end, answers), { '1', '2', '3' })
  eq(answers[1].content, 'echo {"n":12345678901234567890}')
  eq(answers[2].content:find('no', 1, true) ~= nil, true)

  local blocks = child.lua([[
    local function is_echo(tool) return tool.definition.name == 'echo' end
    local definitions, dispatch = mcp.anthropic_tools({ filter = is_echo })
    local use = { type = 'tool_use', id = 't', name = 'mcp_a_echo', input = { n = 1 } }
    dispatch({ use }, function(got) blocks = got end)
    return vim.tbl_map(function(definition) return definition.name end, definitions)
  ]])
  eq(blocks, { 'mcp_a_echo' })
  eq(child.await('return blocks')[1].tool_use_id, 't')
end

---filesystem_server is npm's, as the demonstration has it.
local function filesystem_server()
  local path = '../../examples/project/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'
  return assert(vim.uv.fs_realpath(path), path .. ' is missing: `make editor-neovim` installs it')
end

T["npm's filesystem server is called by hand, from the command to the result"] = function()
  world:write('project/notes.md', '# Notes\n\n- by hand\n')
  local entry = { command = 'node', args = { filesystem_server(), world.project } }
  world:write('home/.config/mcp-sidecar/mcp.json', vim.json.encode({ mcpServers = { fs = entry } }))
  local child = neovim()
  child.cmd('Mcp')
  ready(child, 'fs')
  shows(child, '1/1 server, 14 tools')
  child.type_keys('q')
  child.type_keys(':Mcp call mcp_fs_read_text<Tab>')
  eq(child.fn.getcmdline(), 'Mcp call mcp_fs_read_text_file')
  child.type_keys((' {"path": "%s/notes.md"}'):format(world.project), '<CR>')
  child.await([[return vim.api.nvim_buf_get_name(0):find('mcp://fs/read_text_file', 1, true)]])
  eq(child.api.nvim_buf_get_lines(0, 0, -1, false), { '# Notes', '', '- by hand' })
  eq(child.bo.filetype, 'markdown')
end

return T
