local openai = require('mcp_sidecar.adapters.openai')
local stub = require('adapter_session')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

local PNG = 'iVBORw0KGgoAAAANSUhEUg=='

local function text(said) return stub.outcome({ content = { { type = 'text', text = said } } }) end

local function call(id, name, args)
  return { id = id, type = 'function', ['function'] = { name = name, arguments = args } }
end

---answers waits for what dispatch gives, after `meanwhile`.
local function answers(dispatch, calls, meanwhile)
  local got, count = nil, 0
  local cancel = dispatch(calls, function(messages)
    got, count = messages, count + 1
  end)
  eq(got, nil) -- never before dispatch returns
  if meanwhile then meanwhile(cancel) end
  vim.wait(30000, function() return got ~= nil end, 1)
  local later = false -- what else was scheduled has run by then
  vim.schedule(function() later = true end)
  vim.wait(30000, function() return later end, 1)
  eq(count, 1)
  return got
end

T['definitions'] = new_set()

T['definitions']['are in the form of Chat Completions'] = function()
  local schema = { type = 'object', properties = { path = { type = 'string' } } }
  local session = stub.new({
    stub.tool('read', { description = 'Reads.', inputSchema = schema }),
    stub.tool('bare', { annotations = { title = 'A title' } }),
    stub.tool('silent', { description = ' ', inputSchema = true }),
  })
  local definitions = openai.tools(session)
  eq(definitions[1], {
    type = 'function',
    ['function'] = { name = 'mcp_test_read', description = 'Reads.', parameters = schema },
  })
  eq(definitions[2]['function'].description, 'A title')
  eq(definitions[3]['function'].description, nil)
  eq(vim.json.encode(definitions[3]['function'].parameters.properties), '{}')
end

T['definitions']['are in the form of Responses'] = function()
  local definitions = openai.tools(stub.new({ stub.tool('read') }), { api = 'responses' })
  eq(definitions, {
    {
      type = 'function',
      name = 'mcp_test_read',
      parameters = { type = 'object', properties = vim.empty_dict() },
      strict = false,
    },
  })
end

T['definitions']['have descriptions that OpenAI takes'] = function()
  local session = stub.new({ stub.tool('long', { description = ('é'):rep(2000) }) })
  local description = openai.tools(session)[1]['function'].description
  eq(vim.fn.strchars(description), 1024)
  eq(vim.endswith(description, 'é…'), true)
  local whole = openai.tools(session, { description_limit = math.huge })[1]['function'].description
  eq(vim.fn.strchars(whole), 2000)
end

T['definitions']['are of the tools that are chosen'] = function()
  local session = stub.new({ stub.tool('a'), stub.tool('b'), stub.tool('c', nil, 'other') })
  local function names(options)
    return vim.tbl_map(function(one) return one['function'].name end, (openai.tools(session, options)))
  end
  eq(names(), { 'mcp_test_a', 'mcp_test_b', 'mcp_other_c' })
  eq(names({ servers = { 'other' } }), { 'mcp_other_c' })
  eq(names({ filter = function(tool) return tool.label ~= 'test/a' end }), { 'mcp_test_b', 'mcp_other_c' })
  eq(names({ servers = {} }), {})
end

T['calls'] = new_set()

T['calls']['run at the same time, and are answered in their order'] = function()
  local session = stub.new({ stub.tool('a'), stub.tool('b') })
  local _, dispatch = openai.tools(session, { call = { timeout_ms = 5 } })
  local messages = answers(
    dispatch,
    { call('1', 'mcp_test_a', '{"n":1.0}'), call('2', 'mcp_test_b', '') },
    function()
      eq(#session.calls, 2)
      session.calls[2].answer(nil, text('second'))
      session.calls[1].answer(nil, text('first'))
      session.calls[1].answer(nil, text('again'))
    end
  )
  eq(messages, {
    { role = 'tool', tool_call_id = '1', content = 'first' },
    { role = 'tool', tool_call_id = '2', content = 'second' },
  })
  eq({ session.calls[1].target, session.calls[1].args }, { 'mcp_test_a', '{"n":1.0}' })
  eq(session.calls[2].args, '{}')
  eq(session.calls[1].options, { timeout_ms = 5 })
end

T['calls']['of none are answered with none'] = function()
  local _, dispatch = openai.tools(stub.new())
  eq(answers(dispatch, {}), {})
  eq(answers(dispatch, nil), {})
  eq(answers(dispatch, vim.NIL), {})
end

T['calls']['of a model that makes mistakes are answered'] = new_set({
  parametrize = {
    {
      '{"a": ',
      '^Error: The arguments of mcp_test_a are no JSON object: .* The tool was not called%. Call it',
    },
    { '[1]', 'no JSON object: they are a list%.' },
    { '[]', 'no JSON object: they are a list%.' },
    { 'null', 'no JSON object: they are null%.' },
    { '"a"', 'no JSON object: they are a string%.' },
    { '{"a": NaN}', 'no JSON object: JSON has no word for' },
    { 7, 'no JSON object: they are a number%.' },
  },
}, {
  test = function(args, expected)
    local session = stub.new({ stub.tool('a') })
    local _, dispatch = openai.tools(session)
    local messages = answers(dispatch, { call('1', 'mcp_test_a', args) })
    eq(messages[1].content:find(expected) ~= nil, true)
    eq(#session.calls, 0)
  end,
})

T['calls']['have the text of the model, unless only Neovim could read it'] = new_set({
  parametrize = {
    { '{"n":12345678901234567890, "a":[-0.5e+3, true, null, {}], "s":"\\"\\u00e9\\\\"}' },
    { ' \n', '{}' },
    { '{"s":"two\nlines"}', '{"s":"two\\nlines"}' },
    { '{"n":01}', '{"n":1}' },
    { '{"n":0x10}', '{"n":16}' },
    { '{"n":1.}', '{"n":1}' },
    { '{"a":[],"o":{},"x":+1}', '{"a":[],"o":{},"x":1}' },
  },
}, {
  test = function(args, expected)
    local session = stub.new({ stub.tool('a') })
    local _, dispatch = openai.tools(session)
    dispatch({ call('1', 'mcp_test_a', args) }, function() end)
    eq(session.calls[1].args, expected or args)
  end,
})

T['calls']['of no function, of no name, and of nothing at all are answered'] = function()
  local _, dispatch = openai.tools(stub.new())
  local messages =
    answers(dispatch, { { id = '1', type = 'custom', custom = {} }, call('2', '', '{}'), 'odd' })
  eq(
    messages[1],
    { role = 'tool', tool_call_id = '1', content = 'Error: Only tools of type function can be called here.' }
  )
  eq(messages[2].content, 'Error: A call needs the name of a tool. Use the tools that are offered now.')
  eq(messages[3].role, 'tool')
end

T['calls']['of a tool that is gone are answered with what the sidecar knows'] = function()
  local session = stub.new()
  local _, dispatch = openai.tools(session)
  local data = { reason = 'server "test" is stopped', suggestions = { 'mcp_test_b', 'mcp_test_c' } }
  local messages = answers(dispatch, { call('1', 'mcp_test_a', '{}'), call('2', 'x', '{}') }, function()
    session.calls[1].answer({ kind = 'response', code = 1001, message = 'm', data = data })
    session.calls[2].answer({ kind = 'response', code = 1001, message = 'm' })
  end)
  eq(
    messages[1].content,
    'Error: There is no tool mcp_test_a now: server "test" is stopped. Near names are mcp_test_b, mcp_test_c. '
      .. 'Use the tools that are offered now.'
  )
  eq(messages[2].content, 'Error: There is no tool x, or not any more. Use the tools that are offered now.')
end

T['calls']['of a tool that was not chosen are not made'] = function()
  local session = stub.new({ stub.tool('a'), stub.tool('b') })
  local _, dispatch = openai.tools(session, { filter = function(tool) return tool.name == 'mcp_test_a' end })
  local messages = answers(dispatch, { call('1', 'mcp_test_b', '{}') })
  eq(
    messages[1].content,
    'Error: There is no tool mcp_test_b, or not any more. Use the tools that are offered now.'
  )
  eq(#session.calls, 0)
end

T['calls']['that fail are answered, whatever the cause'] = function()
  local session = stub.new()
  local _, dispatch = openai.tools(session)
  local failed = stub.outcome({ content = { { type = 'text', text = 'no such file' } }, isError = true })
  local calls = { call('1', 'a', '{}'), call('2', 'b', '{}'), call('3', 'c', '{}') }
  local messages = answers(dispatch, calls, function()
    session.calls[1].answer({ kind = 'closed', message = 'the sidecar has ended' })
    session.calls[2].answer(nil, failed)
    session.calls[3].answer(
      nil,
      { result = { content = { { type = 'text', text = 'ok' }, print } }, json = 'null' }
    )
  end)
  eq(messages[1].content, 'Error: the sidecar has ended')
  eq(messages[2].content, 'Error: no such file')
  eq(messages[3].content:find('^Error: The result of c could not be read: ') ~= nil, true)

  session.call = function() error('broken', 0) end
  eq(answers(dispatch, { call('1', 'a', '{}') })[1].content, 'Error: a could not be called: broken')
end

T['calls']['that are cancelled are answered; what came before is kept'] = function()
  local session = stub.new()
  local _, dispatch = openai.tools(session)
  local messages = answers(dispatch, { call('1', 'a', '{}'), call('2', 'b', '{}') }, function(cancel)
    session.calls[1].answer(nil, text('done'))
    cancel()
    cancel()
  end)
  eq(session.calls[2].cancelled, true)
  eq({ messages[1].content, messages[2].content }, { 'done', 'Error: The call was cancelled by the user.' })
end

T['images'] = new_set()

local function shown(options, ...)
  local results = { ... }
  local session = stub.new()
  local _, dispatch = openai.tools(session, options)
  local calls = {}
  for i in ipairs(results) do
    local flat = { type = 'function_call', call_id = tostring(i), name = 'a', arguments = '{}' }
    calls[i] = (options or {}).api and flat or call(tostring(i), 'a', '{}')
  end
  return answers(dispatch, calls, function()
    for i, result in ipairs(results) do
      session.calls[i].answer(nil, stub.outcome({ content = result }))
    end
  end)
end

local image = { type = 'image', data = PNG, mimeType = 'image/png' }
local words = { type = 'text', text = 't' }
local pdf = { type = 'resource', resource = { uri = 'a.pdf', blob = 'JVBERi0xLjcg4oCm' } }

T['images']['are named'] = function()
  eq(shown(nil, { image, words }), {
    {
      role = 'tool',
      tool_call_id = '1',
      content = '[an image, image/png, 16 bytes, that cannot be shown here]\nt',
    },
  })
end

T['images']['are shown by a last message, if that is wanted'] = function()
  local url = 'data:image/png;base64,' .. PNG
  eq(shown({ images = true }, { image, words }, { words }, { image, pdf }), {
    { role = 'tool', tool_call_id = '1', content = '[image 1, see below]\nt' },
    { role = 'tool', tool_call_id = '2', content = 't' },
    {
      role = 'tool',
      tool_call_id = '3',
      content = '[image 2, see below]\n[the file a.pdf, 12 bytes, that cannot be shown here]',
    },
    {
      role = 'user',
      content = {
        { type = 'text', text = "Image 1 of the tools' results:" },
        { type = 'image_url', image_url = { url = url } },
        { type = 'text', text = "Image 2 of the tools' results:" },
        { type = 'image_url', image_url = { url = url } },
      },
    },
  })
  eq(#shown({ images = true }, { words }), 1)
end

T['images']['are part of the output in Responses'] = function()
  eq(shown({ api = 'responses' }, { image, words, pdf }, { words }), {
    {
      type = 'function_call_output',
      call_id = '1',
      output = {
        { type = 'input_image', image_url = 'data:image/png;base64,' .. PNG, detail = 'auto' },
        { type = 'input_text', text = 't' },
        {
          type = 'input_file',
          filename = 'a.pdf',
          file_data = 'data:application/pdf;base64,JVBERi0xLjcg4oCm',
        },
      },
    },
    { type = 'function_call_output', call_id = '2', output = 't' },
  })
end

T['Responses: what is no call is passed over'] = function()
  local session = stub.new()
  local _, dispatch = openai.tools(session, { api = 'responses' })
  local items = {
    { type = 'reasoning', id = 'r' },
    { type = 'function_call', call_id = '1', name = 'a', arguments = '{"n":1}' },
    { type = 'message', content = {} },
  }
  local outputs = answers(dispatch, items, function() session.calls[1].answer(nil, text('x')) end)
  eq(outputs, { { type = 'function_call_output', call_id = '1', output = 'x' } })
  eq(session.calls[1].args, '{"n":1}')
end

return T
