local standin = require('codecompanion_standin')
local stub = require('adapter_session')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality

local sessions ---@type { current: table, list: table[] }

---The sessions module, with sessions of the test.
local function sessions_module()
  local module = {}
  function module.current() return sessions.current end
  function module.all() return sessions.list end
  function module.get(root)
    return vim.iter(sessions.list):find(function(session) return session.root == root end)
  end
  return module
end

local OWN = { 'mcp_sidecar.sessions', 'mcp_sidecar.adapters.codecompanion', 'mcp_sidecar.events' }
local before = {}

local T = new_set({
  hooks = {
    pre_case = function()
      for _, name in ipairs(OWN) do
        before[name], package.loaded[name] = package.loaded[name], nil
      end
      package.loaded['mcp_sidecar.sessions'] = sessions_module()
      local session = stub.new({
        stub.tool('read', { description = 'Reads  a\nfile.', annotations = { readOnlyHint = true } }, 'fs'),
        stub.tool('write', { description = 'Writes.' }, 'fs'),
        stub.tool('add', nil, 'math'),
      }, '/one')
      sessions = { current = session, list = { session } }
    end,
    post_case = function()
      standin.remove()
      vim.api.nvim_create_augroup('mcp_sidecar_codecompanion', {})
      for _, name in ipairs(OWN) do
        package.loaded[name] = before[name]
      end
    end,
  },
})

---change tells that a session has other tools now.
local function change(session, tools)
  session.tools = tools
  require('mcp_sidecar.events').emit('tools_changed', { root = session.root, tools = tools })
end

local function names(map)
  local all = vim.tbl_filter(function(name) return name ~= 'opts' and name ~= 'groups' end, vim.tbl_keys(map))
  table.sort(all)
  return all
end

local function text(said) return stub.outcome({ content = { { type = 'text', text = said } } }) end

T['without codecompanion nothing breaks'] = function()
  require('mcp_sidecar.adapters.codecompanion').setup()
  eq(require('mcp_sidecar.adapters.codecompanion').groups(), {})
  standin.install()
end

T['tools'] = new_set()

T['tools']['are in the configuration, alone and in groups'] = function()
  local config = standin.install()
  eq(names(config), { 'mcp_fs_read', 'mcp_fs_write', 'mcp_math_add' })
  eq(names(config.groups), { 'mcp', 'mcp_fs', 'mcp_math' })
  eq(config.groups.mcp.tools, { 'mcp_fs_read', 'mcp_fs_write', 'mcp_math_add' })
  eq(config.groups.mcp_fs.tools, { 'mcp_fs_read', 'mcp_fs_write' })
  eq(config.groups.mcp_math.prompt, "I'm giving you access to the tools of the MCP server math")
  eq(config.mcp_fs_read.description, 'fs/read: Reads a file.')
  eq(config.mcp_math_add.description, 'math/add')
  eq(require('codecompanion._extensions.mcp_sidecar').exports.groups(), { 'mcp', 'mcp_fs', 'mcp_math' })
end

T['tools']['have a schema in the form of Chat Completions that all of its adapters can send'] = function()
  local schema = {
    type = 'object',
    properties = { ['$top'] = { ['$ref'] = '#/$defs/n' }, tree = { ['$ref'] = '#/$defs/tree' } },
    ['$defs'] = {
      n = { type = 'integer' },
      tree = { type = 'object', properties = { left = { ['$ref'] = '#/$defs/tree' } } },
    },
  }
  local given = vim.deepcopy(schema)
  sessions.current.tools = { stub.tool('a', { inputSchema = schema }), stub.tool('b') }
  local config = standin.install()
  eq(config.mcp_test_a.callback().schema, {
    type = 'function',
    ['function'] = {
      name = 'mcp_test_a',
      description = 'test/a',
      parameters = {
        type = 'object',
        properties = {
          top = { type = 'integer', title = '$top' },
          tree = { type = 'object', properties = { left = vim.empty_dict() } },
        },
      },
    },
  })
  config.mcp_test_a.callback().schema['function'].parameters.properties.top.type = 'changed'
  eq(schema, given)
  local bare = config.mcp_test_b.callback().schema['function'].parameters
  eq(vim.json.encode(bare.properties), '{}')
end

T['tools']['leave alone what the user has by the same names'] = function()
  local own = { description = 'own' }
  local config = standin.install(nil, { mcp_fs_read = own, groups = { mcp = own } })
  eq(config.mcp_fs_read, own)
  eq(config.groups.mcp, own)
  eq(config.groups.mcp_2.tools, { 'mcp_fs_write', 'mcp_math_add' })
  change(sessions.current, {})
  eq(names(config), { 'mcp_fs_read' })
  eq(names(config.groups), { 'mcp' })
end

T['tools']['are those that are chosen, in the groups that are wanted'] = function()
  local config = standin.install({
    servers = { 'fs' },
    filter = function(tool) return tool.label ~= 'fs/write' end,
    group = 'tools',
    visible = false,
    tool_opts = { allowed_in_yolo_mode = false },
  })
  eq(names(config), { 'mcp_fs_read' })
  eq(names(config.groups), { 'tools', 'tools_fs' })
  eq(config.mcp_fs_read.visible, false)
  eq(config.mcp_fs_read.opts.allowed_in_yolo_mode, false)

  config = standin.install({ group = false, tool_opts = function(tool) return { label = tool.label } end })
  eq(names(config.groups), { 'mcp_fs', 'mcp_math' })
  eq(config.mcp_fs_write.opts.label, 'fs/write')
  config = standin.install({ server_groups = false })
  eq(names(config.groups), { 'mcp' })
end

T['tools']['come, change and go with the session'] = function()
  local config = standin.install()
  local kept = config.mcp_math_add.callback().schema
  change(sessions.current, {
    stub.tool('new', nil, 'fs'),
    stub.tool('add', { description = 'Adds, better.' }, 'math'),
  })
  eq(names(config), { 'mcp_fs_new', 'mcp_math_add' })
  eq(config.groups.mcp.tools, { 'mcp_fs_new', 'mcp_math_add' })
  eq(config.mcp_math_add.description, 'math/add: Adds, better.')
  eq(kept['function'].description, 'Adds, better.') -- in a chat that has it
  change(sessions.current, {})
  eq({ names(config), names(config.groups) }, { {}, {} })
end

T['tools']['of a second setup take the place of the first'] = function()
  local config = standin.install()
  require('codecompanion._extensions.mcp_sidecar').setup({ group = 'all' })
  eq(names(config.groups), { 'all', 'all_fs', 'all_math' })
  change(sessions.current, { stub.tool('x') })
  eq(names(config.groups), { 'all', 'all_test' })
end

T['an option that is not known is told'] = function()
  local notify, told = vim.notify, nil
  vim.notify = function(message) told = message end
  standin.install({ grupp = 'x', call = { timeout_ms = 1 } })
  vim.notify = notify
  eq(told, 'mcp-sidecar: the extension of codecompanion has no option "grupp"')
end

T['calls'] = new_set({ parametrize = { { 'current' }, { 'before 19' } } })

T['calls']['bring the result to the model, and a part of it to the user'] = function(form)
  standin.install({ call = { timeout_ms = 5 } })
  local chat = standin.open()
  local long = ('line\n'):rep(30) .. '```` fence'
  local run = standin.call(chat, 'mcp_fs_read', '{"id":12345678901234567890}', form)
  local call = sessions.current.calls[1]
  eq(
    { call.target, call.args, call.options },
    { 'mcp_fs_read', '{"id":12345678901234567890}', { timeout_ms = 5 } }
  )
  eq(run.status, nil)
  call.answer(nil, text(long))
  eq(run.status, 'success')
  eq(#chat.outputs, 1)
  eq({ chat.outputs[1].tool, chat.outputs[1].llm }, { 'mcp_fs_read', long })
  local expected = 'MCP: `fs/read` answered\n````\n' .. ('line\n'):rep(20) .. '… 11 more lines\n````'
  eq(chat.outputs[1].user, expected)
end

T['calls']['that fail are errors, in words'] = function(form)
  standin.install()
  local chat = standin.open()
  local run = standin.call(chat, 'mcp_fs_write', '{}', form)
  sessions.current.calls[1].answer({ kind = 'response', code = 1009, message = 'server "fs": gone' })
  eq(run.status, 'error')
  eq(chat.outputs[1].llm, 'Error: server "fs": gone')
  eq(chat.outputs[1].user, 'MCP: `fs/write` failed\n````\nError: server "fs": gone\n````')

  sessions.current.call = nil
  run = standin.call(chat, 'mcp_fs_write', '{}', form)
  eq({ run.status, chat.outputs[2].tool }, { 'error', 'mcp_fs_write' })
end

T['calls']['need approval, unless the tool only reads'] = function(form)
  standin.install()
  local chat = standin.open()
  eq(standin.call(chat, 'mcp_fs_read', '{}', form).asked, false)
  local run = standin.call(chat, 'mcp_fs_write', '{"path":"/a","content":"one\\ntwo ````` x","n":{}}', form)
  eq(run.asked, true)
  eq(
    run.question,
    table.concat({
      'Run the MCP tool `fs/write`?',
      '',
      '``````',
      'content:',
      '    one',
      '    two ````` x',
      'n: {}',
      'path: "/a"',
      '``````',
    }, '\n')
  )
  eq(standin.call(chat, 'mcp_math_add', '{}', form).question, 'Run the MCP tool `math/add`?')
end

T['calls']['need the approval that the user wants'] = function(form)
  local function asked(approval)
    standin.install({ approval = approval })
    local chat = standin.open()
    return {
      standin.call(chat, 'mcp_fs_read', '{}', form).asked,
      standin.call(chat, 'mcp_fs_write', '{"a":1}', form).asked,
    }
  end
  eq(asked('always'), { true, true })
  eq(asked('never'), { false, false })
  eq(asked(function(tool, args) return tool.label == 'fs/read' or args.a ~= 1 end), { true, false })
  eq(asked(function() end), { true, true })
end

T['calls']['that the user stops are cancelled'] = function(form)
  standin.install()
  local chat = standin.open()
  local run = standin.call(chat, 'mcp_fs_write', '{}', form)
  run.stop()
  eq(sessions.current.calls[1].cancelled, true)
  eq(run.status, 'cancelled')
  eq(chat.outputs, {})
end

T['calls']['of a chat that is closed are cancelled, and nobody hears of them'] = function(form)
  standin.install()
  local chat, other = standin.open(), standin.open()
  local run, kept =
    standin.call(chat, 'mcp_fs_write', '{}', form), standin.call(other, 'mcp_fs_write', '{}', form)
  standin.close(chat.bufnr)
  eq({ sessions.current.calls[1].cancelled, run.status, chat.outputs }, { true, nil, {} })
  eq({ sessions.current.calls[2].cancelled, kept.status }, { false, nil })
end

T['calls']['have the names of arguments that the server knows'] = function(form)
  local schema = { type = 'object', properties = { ['filter[id]'] = { type = 'number' } } }
  sessions.current.tools = { stub.tool('list', { inputSchema = schema }) }
  standin.install()
  standin.call(standin.open(), 'mcp_test_list', '{"filter_id":1}', form)
  eq(sessions.current.calls[1].args, '{"filter[id]":1}')
end

T['chats'] = new_set()

T['chats']['get the tools that come to their groups, and no others'] = function()
  standin.install()
  local with, without = standin.open(), standin.open()
  with.tool_registry:add_group('mcp_math')
  change(
    sessions.current,
    { stub.tool('add', nil, 'math'), stub.tool('sub', nil, 'math'), stub.tool('x', nil, 'fs') }
  )
  eq(names(with.tool_registry.in_use), { 'mcp_math_add', 'mcp_math_sub' })
  eq(with.tool_registry.groups.mcp_math, { 'mcp_math_add', 'mcp_math_sub' })
  eq(without.tool_registry.in_use, {})

  with.tool_registry.in_use, with.context_items = {}, {} -- the user took the group out
  change(sessions.current, { stub.tool('mul', nil, 'math') })
  with.callbacks.on_checkpoint(with, {})
  eq(with.tool_registry.in_use, {})
end

T['chats']['get the groups that every chat has, also when those come later'] = function()
  local session = sessions.current
  local tools = session.tools
  session.tools, session.phase = {}, 'stopped'
  standin.install(nil, { opts = { default_tools = { 'mcp_math', 'other' } } })
  local early = standin.open()
  eq(session.starts, 1)
  change(session, tools)
  eq(names(early.tool_registry.in_use), { 'mcp_math_add' })
  local late = standin.open()
  eq(names(late.tool_registry.in_use), { 'mcp_math_add' })
  eq(session.starts, 1)
end

T['chats']['start nothing, if that is not wanted'] = function()
  sessions.current.phase = 'stopped'
  standin.install({ start = false })
  standin.open()
  eq(sessions.current.starts, 0)
end

T['chats']['without such a registry are left alone'] = function()
  standin.install()
  local chat = standin.open()
  chat.tool_registry = nil
  change(sessions.current, {})
  chat.callbacks.on_checkpoint(chat, {})
end

T['projects'] = new_set()

local function two_projects()
  local one = sessions.current
  local two = stub.new({ stub.tool('read', nil, 'fs'), stub.tool('only', nil, 'db') }, '/two')
  sessions.list = { one, two }
  return one, two
end

T['projects']['have their tools in the groups when the user is in them'] = function()
  local one, two = two_projects()
  local config = standin.install()
  local chat = standin.open()
  eq(names(config.groups), { 'mcp', 'mcp_fs', 'mcp_math' })
  eq(names(config), { 'mcp_db_only', 'mcp_fs_read', 'mcp_fs_write', 'mcp_math_add' })

  sessions.current = two
  vim.cmd.new()
  eq(names(config.groups), { 'mcp', 'mcp_db', 'mcp_fs' })
  eq(config.groups.mcp.tools, { 'mcp_fs_read', 'mcp_db_only' })
  local second = standin.open()
  vim.cmd.buffer(chat.bufnr) -- a chat is of the project that it was opened from
  eq(names(config.groups), { 'mcp', 'mcp_fs', 'mcp_math' })
  vim.cmd.buffer(second.bufnr)
  eq(names(config.groups), { 'mcp', 'mcp_db', 'mcp_fs' })

  standin.call(chat, 'mcp_fs_read', '{}')
  standin.call(second, 'mcp_fs_read', '{}')
  standin.call(chat, 'mcp_db_only', '{}') -- by its own name: where it is
  eq({ #one.calls, #two.calls }, { 1, 2 })
  vim.cmd.bwipeout({ bang = true })
end

T['projects']['do not change the approval of each other'] = function()
  local _, two = two_projects()
  standin.install()
  local first = standin.open()
  sessions.current = two
  vim.cmd.new()
  local second = standin.open()
  eq(standin.call(first, 'mcp_fs_read', '{}').asked, false)
  eq(standin.call(second, 'mcp_fs_read', '{}').asked, true)
  vim.cmd.bwipeout({ bang = true })
end

T['projects']['do not matter, if one was chosen'] = function()
  local _, two = two_projects()
  local config = standin.install({ root = '/two' })
  vim.cmd.new()
  eq(names(config.groups), { 'mcp', 'mcp_db', 'mcp_fs' })
  standin.call(standin.open(), 'mcp_fs_read', '{}')
  eq(#two.calls, 1)
  vim.cmd.bwipeout({ bang = true })
end

T['the configuration of versions before 18 is known'] = function()
  standin.install()
  local tools = { groups = {} }
  package.loaded['codecompanion.config'] = {
    interactions = { background = {} },
    strategies = { chat = { tools = tools } },
  }
  require('codecompanion._extensions.mcp_sidecar').setup()
  eq(names(tools.groups), { 'mcp', 'mcp_fs', 'mcp_math' })
end

return T
