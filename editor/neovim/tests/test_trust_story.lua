-- What a user is asked, from the file that makes it necessary to the server that gets the answer: real Neovim, the
-- real sidecar, scripted servers.
local World = require('world')
local eq = MiniTest.expect.equality

local world ---@type mcp_sidecar.test.World
local T = MiniTest.new_set({ hooks = World.hooks(function(opened) world = opened end) })

---neovim starts one that knows the phases of servers and what the dialog shows.
---@param options? table
local function neovim(options)
  local child = world:attentive(options)
  child.o.lines, child.o.columns = 30, 100
  child.lua([[
    function phase(name)
      for _, server in ipairs(mcp.servers()) do
        if server.name == name then return server.phase end
      end
      return 'none'
    end
    function heads()
      if vim.bo.filetype ~= 'mcptrust' then return nil end
      local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      return vim.tbl_filter(function(text) return text:find('^%[') end, lines)
    end
  ]])
  return child
end

---is waits until a server is in a phase; `none`: there is no such server.
local function is(child, server, phase)
  child.await('local server, wanted = ... return phase(server) == wanted', server, phase)
end

---dialog waits for it, with these servers.
local function dialog(child, heads) eq(child.await('return heads()'), heads) end

local function quit(child)
  pcall(child.cmd, 'qa!')
  world:empty()
end

---choose goes to a server of the dialog, and presses keys.
local function choose(child, server, keys) child.type_keys('gg', '/^\\[.\\] ' .. server .. ' <CR>', keys) end

T['one dialog decides about several servers, for later sessions too'] = function()
  world:project_servers({ yes = 'tool echo', no = 'tool echo', later = 'tool echo' })
  world:user_servers({ mine = 'tool echo' })
  local child = neovim()
  child.cmd('Mcp start')
  is(child, 'mine', 'ready') -- it waits for no decision
  dialog(child, { '[ ] later   not decided', '[ ] no   not decided', '[ ] yes   not decided' })
  choose(child, 'yes', 'a')
  choose(child, 'no', 'd')
  child.type_keys('<CR>')
  is(child, 'yes', 'ready')
  is(child, 'no', 'none')
  is(child, 'later', 'untrusted')
  quit(child)

  local again = neovim()
  again.cmd('Mcp start')
  is(again, 'yes', 'ready')
  dialog(again, { '[ ] later   not decided' })
  again.type_keys('q')
  is(again, 'later', 'untrusted')
  is(again, 'no', 'none')
  eq(again.lua('return { #notes, notes[1][1] }'), { 1, 'mcp-sidecar: started' })
  quit(again)
  eq({ world.hub:count('no started'), world.hub:count('later started') }, { 0, 0 })
end

T['an entry that is changed is asked about again, in the same session and in the next'] = function()
  world:project_servers({ own = 'tool echo' })
  local child = neovim()
  child.cmd('Mcp start')
  dialog(child, { '[ ] own   not decided' })
  child.type_keys('a', '<CR>')
  is(child, 'own', 'ready')

  local entry = world:fake('own', 'tool echo')
  local function change(word)
    entry.args[2] = word
    world:write('project/.mcp.json', vim.json.encode({ mcpServers = { own = entry } }))
  end
  change('--and-more')
  child.cmd('Mcp reload')
  dialog(child, { '[ ] own   not decided' })
  eq(child.await([[return vim.fn.search(' --and-more$') > 0]]), true)
  world.hub:saw('own gone')
  child.type_keys('q')
  change('--once-more')
  quit(child)

  local again = neovim()
  again.lua('mcp.start()')
  again.await('return #notes == 1')
  is(again, 'own', 'untrusted')
  eq(world.hub:count('own started'), 1)
end

T[':Mcp trust takes a decision back, and gives it again'] = function()
  world:project_servers({ a = 'tool echo', b = 'tool echo' })
  local child = neovim()
  -- Also as the first thing in a session, it is one dialog with all servers.
  child.cmd('Mcp trust')
  dialog(child, { '[ ] a   not decided', '[ ] b   not decided' })
  child.type_keys('A', '<CR>')
  is(child, 'a', 'ready')
  is(child, 'b', 'ready')
  eq(child.lua('return heads() == nil'), true)

  child.cmd('Mcp trust')
  dialog(child, { '[+] a   allowed', '[+] b   allowed' })
  choose(child, 'a', 'l')
  choose(child, 'b', 'd')
  child.type_keys('<CR>')
  is(child, 'a', 'untrusted')
  is(child, 'b', 'none')
  world.hub:empty()

  child.cmd('Mcp trust')
  dialog(child, { '[ ] a   not decided', '[-] b   denied' })
  child.type_keys('A', '<CR>')
  is(child, 'a', 'ready')
  is(child, 'b', 'ready')
  eq(child.lua('return notes'), {})
end

T['an entry that is changed while the dialog shows it is not allowed'] = function()
  world:project_servers({ own = 'tool echo' })
  local child = neovim({ settings = { discovery = { watch = false } } })
  child.lua('mcp.start()')
  child.await('return #notes == 1')
  child.cmd('Mcp trust')
  dialog(child, { '[ ] own   not decided' })
  local entry = world:fake('own', 'tool echo')
  entry.args[2] = '--evil'
  world:write('project/.mcp.json', vim.json.encode({ mcpServers = { own = entry } }))
  child.lua([[done = false mcp.reload('changed', function() done = true end)]])
  child.await('return done')
  child.type_keys('a', '<CR>')
  child.await([[return notes[#notes][1]:find('own has changed since it was shown', 1, true)]])
  is(child, 'own', 'untrusted')
  eq(world.hub:count('own started'), 0)
end

T['the dialog comes up after a command, and not by itself'] = function()
  world:project_servers({ own = 'tool echo' })
  local child = neovim()
  child.lua('mcp.start()')
  child.await('return #notes == 1')
  is(child, 'own', 'untrusted')
  eq(child.lua('return { heads() == nil, #notes, notes[1][1] }'), {
    true,
    1,
    'mcp-sidecar: servers wait for you: own (`:Mcp trust`)',
  })
  -- That it was put off may reach the sidecar after a reload.
  child.await([[vim.cmd('Mcp reload') return heads()]])
end

T['o shows an entry where it is, whatever its name'] = function()
  local names = { 'own', 'ein Wort', 'quo"te', 'back\\slash', 'a.b', 'ü' }
  local lines = { '{', '  "comment": ["own", "a.b"], "own": { "ü": {} },', '  "mcpServers": {' }
  for i, name in ipairs(names) do
    local comma = i < #names and ',' or ''
    lines[#lines + 1] = ('    %s: {"command": "run-%d"}%s'):format(vim.json.encode(name), i, comma)
  end
  vim.list_extend(lines, { '  }', '}' })
  local path = world:write('project/.mcp.json', table.concat(lines, '\n'))
  local child = neovim()
  child.cmd('Mcp trust')
  local heads = child.await('return heads()')
  eq(#heads, #names)
  for _, head in ipairs(heads) do
    local name = head:match('^%[ %] (.*)   not decided$')
    child.cmd('Mcp trust')
    child.await('return heads()')
    child.lua([[vim.fn.search('^\\V[ ] ' .. vim.fn.escape(..., '\\') .. '   not', 'w')]], { name })
    child.type_keys('o')
    eq(child.api.nvim_buf_get_name(0), path)
    local line, column = unpack(child.api.nvim_win_get_cursor(0))
    local before = child.api.nvim_get_current_line():sub(1, column)
    eq({ line > 3, before }, { true, ('    %s: '):format(vim.json.encode(name)) })
  end
end

---inputs writes a file of VS Code's, whose server shows its environment and its arguments.
local function inputs(file, name, list, given)
  local entry = world:fake(name, 'tool show\non tools/call show\n  env VALUE')
  entry.type = 'stdio'
  world:write(
    file,
    vim.json.encode({
      inputs = list,
      servers = { [name] = vim.tbl_extend('force', entry, given) },
    })
  )
end

---value is what has reached a server.
local function value(child, server)
  child.lua(
    [[ended = nil mcp.call({ server = ..., tool = 'show' }, nil, nil, function(err, outcome)
    ended = err and err.message or outcome.result.content[1].text
  end)]],
    { server }
  )
  return child.await('return ended')
end

---typing waits for the line in which a value is typed, below this prompt.
local function typing(child, prompt)
  child.await(
    [[
    if vim.fn.mode() ~= 'c' then return false end
    vim.cmd.redraw()
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(vim.o.lines, column)
    end
    return vim.startswith(table.concat(cells), (...))
  ]],
    prompt
  )
end

local TOKEN = { type = 'promptString', id = 'token', description = 'The token', password = true }
local REGION = { type = 'promptString', id = 'region', description = 'Region', default = 'eu' }
local ALLOW = { settings = { trust = { project = 'allow' } } }

T['a value is asked for once, reaches its server, and is remembered for the session only'] = function()
  inputs(
    'project/.vscode/mcp.json',
    's',
    { TOKEN, REGION },
    { env = { VALUE = '${input:token}/${input:region}' } }
  )
  local child = neovim(ALLOW)
  child.cmd('Mcp start')
  typing(child, 'Region (s): eu')
  child.type_keys('-1', '<CR>')
  typing(child, 'The token (s): ')
  child.type_keys('t0p-secret', '<CR>')
  is(child, 's', 'ready')
  eq(value(child, 's'), 't0p-secret/eu-1')

  child.lua([[done = nil mcp.connect('s', { restart = true }, function() done = true end)]])
  child.await('return done')
  is(child, 's', 'ready')
  eq(value(child, 's'), 't0p-secret/eu-1')
  eq(world.hub:count('s started'), 2)

  -- Nowhere is it written.
  child.cmd('Mcp logs s')
  child.await([[return vim.api.nvim_buf_get_name(0):find('mcp') and true]])
  local places = {
    child.cmd_capture('messages'),
    child.cmd_capture('history all'),
    child.lua('return vim.inspect(notes)'),
    child.lua('return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n")'),
    child.lua('return vim.inspect(require("mcp_sidecar.log").lines(mcp.status().root))'),
    child.lua('return vim.inspect(mcp.status())'),
  }
  eq(table.concat(places, '\n'):find('t0p-secret', 1, true), nil)

  child.cmd('Mcp restart')
  typing(child, 'Region (s): eu')
end

T['without a value a server waits, and `:Mcp connect` asks again'] = function()
  inputs('project/.vscode/mcp.json', 's', { TOKEN }, { env = { VALUE = '${input:token}' } })
  local child = neovim(ALLOW)
  child.cmd('Mcp start')
  typing(child, 'The token (s): ')
  child.type_keys('abc', '<C-c>')
  is(child, 's', 'needs-input')
  -- That there is none may reach the sidecar after the command.
  child.await([[vim.cmd('Mcp connect s') return vim.fn.mode() == 'c']])
  typing(child, 'The token (s): ')
  child.type_keys('abc', '<CR>')
  is(child, 's', 'ready')
  eq(value(child, 's'), 'abc')
end

T['a choice reaches its server'] = function()
  local pick =
    { type = 'pickString', id = 'region', description = 'Region', options = { 'eu', 'us' }, default = 'us' }
  inputs('project/.vscode/mcp.json', 's', { pick }, { env = { VALUE = '${input:region}' } })
  local child = neovim(ALLOW)
  child.lua([[vim.ui.select = function(items, _, done) done(items[1]) end]])
  child.cmd('Mcp start')
  is(child, 's', 'ready')
  eq(value(child, 's'), 'us')
end

T['servers that nobody has decided about do not keep others from their values'] = function()
  world:project_servers({ own = 'tool echo' })
  inputs('home/.config/Code/User/mcp.json', 's', { TOKEN }, { env = { VALUE = '${input:token}' } })
  local child = neovim()
  child.lua('mcp.start()')
  typing(child, 'The token (s): ')
  child.type_keys('abc', '<CR>')
  is(child, 's', 'ready')
  is(child, 'own', 'untrusted')
end

T['a UI that forgets its callback keeps nobody from being asked'] = function()
  inputs('home/.config/Code/User/mcp.json', 'a', { REGION }, { env = { VALUE = '${input:region}' } })
  local child = neovim()
  child.lua([[
    asked = 0
    builtin = vim.ui.input
    vim.ui.input = function()
      asked = asked + 1
      local place = { relative = 'editor', row = 1, col = 1, width = 20, height = 1 }
      vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, place)
    end
  ]])
  child.cmd('Mcp start')
  child.await('return asked == 1')
  child.type_keys(':q<CR>')
  child.lua('vim.ui.input = builtin')
  -- The sidecar asks again only if this question is over.
  child.await([[
    vim.cmd('Mcp connect a')
    return vim.fn.mode() == 'c'
  ]])
  child.type_keys('<CR>')
  is(child, 'a', 'ready')
  eq(value(child, 'a'), 'eu')
end

return T
