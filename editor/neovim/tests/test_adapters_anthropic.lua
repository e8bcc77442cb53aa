local anthropic = require('mcp_sidecar.adapters.anthropic')
local stub = require('adapter_session')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

local PNG = 'iVBORw0KGgoAAAANSUhEUg=='
local text = { type = 'text', text = 't' }
local image = { type = 'image', data = PNG, mimeType = 'image/png' }
local pdf = { type = 'resource', resource = { uri = 'x/a.pdf', blob = 'JVBERi0xLjcg4oCm' } }

local function use(id, name, input) return { type = 'tool_use', id = id, name = name, input = input } end

local function results(dispatch, blocks, meanwhile)
  local got
  local cancel = dispatch(blocks, function(answers) got = answers end)
  if meanwhile then meanwhile(cancel) end
  vim.wait(30000, function() return got ~= nil end, 1)
  return got
end

T['definitions are in the form of Messages'] = function()
  local long = ('x'):rep(5000)
  local definitions = anthropic.tools(stub.new({ stub.tool('read', { description = long }) }))
  eq(definitions, {
    {
      name = 'mcp_test_read',
      description = long,
      input_schema = { type = 'object', properties = vim.empty_dict() },
    },
  })
  eq(vim.json.encode(definitions):find('"properties":{}', 1, true) ~= nil, true)
end

T['results are blocks: text, images, documents'] = function()
  local session = stub.new()
  local _, dispatch = anthropic.tools(session)
  local blocks =
    { { type = 'text', text = 'Let me see.' }, use('1', 'a', { n = 1 }), use('2', 'b', vim.empty_dict()) }
  local answers = results(dispatch, blocks, function()
    session.calls[2].answer(nil, stub.outcome({ content = { text } }))
    session.calls[1].answer(nil, stub.outcome({ content = { text, image, pdf } }))
  end)
  eq(answers, {
    {
      type = 'tool_result',
      tool_use_id = '1',
      content = {
        text,
        { type = 'image', source = { type = 'base64', media_type = 'image/png', data = PNG } },
        {
          type = 'document',
          source = { type = 'base64', media_type = 'application/pdf', data = pdf.resource.blob },
          title = 'a.pdf',
        },
      },
    },
    { type = 'tool_result', tool_use_id = '2', content = { text } },
  })
  eq(session.calls[1].args, { n = 1 })
  eq(session.calls[2].args, '{}')
end

T['a failure is flagged, and only of text'] = function()
  local session = stub.new()
  local _, dispatch = anthropic.tools(session)
  local blocks = { use('1', 'a', {}), use('2', 'b', {}), use('3', 'c', { 1 }), use('4', 'd', nil) }
  local answers = results(dispatch, blocks, function(cancel)
    session.calls[1].answer(nil, stub.outcome({ content = { image, text }, isError = true }))
    session.calls[2].answer({ kind = 'response', code = 1009, message = 'server "x": gone' })
    cancel()
  end)
  local function said(i)
    eq({ answers[i].is_error, #answers[i].content, answers[i].content[1].type }, { true, 1, 'text' })
    return answers[i].content[1].text
  end
  eq(said(1), '[an image, image/png, 16 bytes, that cannot be shown here]\nt')
  eq(said(2), 'server "x": gone')
  eq(said(3):find('^The arguments of c are no JSON object: they are a list%.') ~= nil, true)
  eq(said(4), 'The call was cancelled by the user.')
  eq(session.calls[3].args, '{}')
end

T['arguments get back the names that the server gave them'] = function()
  local schema =
    { type = 'object', properties = { ['filter[id]'] = { type = 'number' }, n = vim.empty_dict() } }
  local session = stub.new({ stub.tool('list', { inputSchema = schema }) })
  local definitions, dispatch = anthropic.tools(session)
  eq(definitions[1].input_schema.properties.filter_id, { type = 'number', title = 'filter[id]' })
  dispatch({
    use('1', 'mcp_test_list', { filter_id = 1, n = 2 }),
    use('2', 'mcp_test_list', '{"filter_id":1,"n":null}'),
  }, function() end)
  eq(session.calls[1].args, { ['filter[id]'] = 1, n = 2 })
  eq(session.calls[2].args, '{"filter[id]":1,"n":null}')
end

T['none are answered with none'] = function()
  local _, dispatch = anthropic.tools(stub.new())
  eq(results(dispatch, { { type = 'text', text = 'no' } }), {})
  eq(results(dispatch, nil), {})
end

return T
