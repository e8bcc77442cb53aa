-- One end of a conversation, whose other end is the test.
local connection = require('mcp_sidecar.connection')
local json = require('mcp_sidecar.json')
local eq = MiniTest.expect.equality

local closed = { kind = 'closed', message = 'it is gone' }

---@class Talk
local Talk = {}
Talk.__index = Talk

---talk is a connection, and what was sent and heard over it.
local function talk(hooks)
  local self = setmetatable({ sent = {}, heard = {}, forced = 0 }, Talk)
  local function hear(...) table.insert(self.heard, { ... }) end
  self.connection = connection.new(
    {
      send = function(_, body) table.insert(self.sent, body) end,
      close = function() self.forced = self.forced + 1 end,
    },
    vim.tbl_extend('force', {
      answered = function(method, result) hear('answered', method, result) end,
      notified = function(method, params) hear('notified', method, params) end,
      asked = function(method, params) hear('asked', method, params) end,
      closed = function() hear('closed') end,
    }, hooks or {})
  )
  return self
end

function Talk:ask(method, name, then_do)
  return self.connection:request(method, '{}', function(err, result, body)
    table.insert(self.heard, { name, err and err.message or nil, result, body and #body > 0 })
    if then_do then then_do() end
  end)
end

function Talk:says(text) self.connection:message(text) end

function Talk:take()
  local heard, sent = self.heard, self.sent
  self.heard, self.sent = {}, {}
  return heard, sent
end

---told gives what the user was shown because of fn.
local function told(count, fn)
  local shown, notify = {}, vim.notify
  vim.notify = function(text) table.insert(shown, text) end
  local ok, err = pcall(fn)
  vim.wait(30000, function() return #shown >= count end, 1)
  vim.notify = notify
  if not ok then error(err, 0) end
  return shown
end

local T = MiniTest.new_set()

T['requests are numbered, and answers find them in any order'] = function()
  local t = talk()
  t:ask('a', 'first')
  t:ask('b "c"', 'second')
  local _, sent = t:take()
  eq(sent, {
    '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}',
    '{"jsonrpc":"2.0","id":2,"method":"b \\"c\\"","params":{}}',
  })
  t:says('{"id":2,"result":{"x":1}}')
  t:says('{"id":1,"error":{"code":5,"message":"no"}}')
  eq(t:take(), {
    { 'answered', 'b "c"', { x = 1 } },
    { 'second', nil, { x = 1 }, true },
    { 'first', 'a: no', nil, true },
  })
end

T['an answer comes once; what nobody waits for is nothing'] = function()
  local t = talk()
  t:ask('a', 'first')
  t:says('{"id":1,"result":1}')
  t:take()
  for _, text in ipairs({
    '{"id":1,"result":2}',
    '{"id":7,"result":2}',
    '{"id":"1","result":2}',
    '{"id":1.5,"result":2}',
    '{"id":null,"error":{"code":1}}',
    '{"error":{"code":1}}',
    '{"id":null,"result":1}',
    '[]',
    '{}',
  }) do
    t:says(text)
  end
  eq({ t:take() }, { {}, {} })
  eq(t.connection.ended, nil)
end

T['a null result is a result'] = function()
  local t = talk()
  t:ask('a', 'first')
  t:says('{"id":1,"result":null}')
  eq(t:take(), { { 'answered', 'a', nil }, { 'first', nil, nil, true } })
end

T['a request that is cancelled fails at once; its late answer still counts'] = function()
  local t = talk()
  local cancel = t:ask('a', 'first')
  t:take()
  cancel()
  cancel()
  local heard, sent = t:take()
  eq(heard, { { 'first', 'a was cancelled' } })
  eq(#sent, 1)
  eq(json.decode(sent[1]), { jsonrpc = '2.0', method = '$/cancelRequest', params = { id = 1 } })
  t:says('{"id":1,"result":{"tools":1}}')
  eq(t:take(), { { 'answered', 'a', { tools = 1 } } })
  cancel()
  eq({ t:take() }, { {}, {} })
end

T['an error without an id is about the largest request'] = function()
  local t = talk()
  for _, size in ipairs({ 10, 1000, 100 }) do
    t.connection:request(
      'x',
      '{"a":"' .. ('x'):rep(size) .. '"}',
      function(err) table.insert(t.heard, { size, err.message }) end
    )
  end
  t:says('{"id":null,"error":{"code":-32600,"message":"too large"}}')
  eq(t:take(), { { 1000, 'x: too large' } })
end

T['what makes no sense ends the conversation, and says what it was'] = function()
  for _, text in ipairs({ '', 'hello', '{', '5', 'null', 'true' }) do
    local t = talk()
    t:ask('a', 'first')
    t:take()
    t:says(text)
    local heard = t:take()
    eq({ text, #heard, heard[1][1], heard[2] }, { text, 2, 'first', { 'closed' } })
    eq(heard[1][2]:find('sent a message that makes no sense', 1, true) ~= nil, true)
    eq({ t.connection.ended.kind, t.forced }, { 'closed', 1 })
    t:says(text)
    eq({ t:take() }, { {}, {} })
  end
end

T['an answer that its hook cannot use ends the conversation, and its caller hears of it'] = function()
  local t = talk({ answered = function() error('no tools in it') end })
  t:ask('a', 'first')
  t:says('{"id":1,"result":5}')
  local heard = t:take()
  eq(
    { heard[1][1], heard[1][2]:find('no tools in it', 1, true) ~= nil, heard[2] },
    { 'first', true, { 'closed' } }
  )
end

T['a half pair of surrogates and a deep result disturb nobody'] = function()
  local t = talk()
  t:ask('a', 'first')
  t:ask('a', 'second')
  t:says([[{"id":1,"result":{"text":"cut \ud83d"}}]])
  t:says('{"id":2,"result":' .. ('['):rep(3000) .. (']'):rep(3000) .. '}')
  local heard = t:take()
  eq(
    { #heard, heard[2][3], heard[4][2], type(heard[4][3]) },
    { 4, { text = 'cut \239\191\189' }, nil, 'table' }
  )
  eq(t.connection.ended, nil)
end

T['when the other end is gone, everything fails in order for one reason, now and later'] = function()
  local t = talk()
  local cancel = t:ask('a', 'first')
  t:ask('a', 'second')
  t:take()
  t.connection:closed(closed)
  eq(t:take(), { { 'first', 'it is gone' }, { 'second', 'it is gone' }, { 'closed' } })
  t.connection:closed({ message = 'again' })
  cancel()
  eq({ t:take() }, { {}, {} })
  t:ask('a', 'third')
  eq(t:take(), {})
  vim.wait(30000, function() return #t.heard > 0 end, 1)
  eq({ t:take() }, { { { 'third', 'it is gone' } }, {} })
end

T['a caller that asks again when it fails does not hold up the end'] = function()
  local t = talk()
  t:ask('a', 'first', function() t:ask('a', 'again') end)
  t:ask('a', 'second')
  t.connection:closed(closed)
  eq(t:take(), { { 'first', 'it is gone' }, { 'second', 'it is gone' }, { 'closed' } })
end

T['an error of a caller is shown, and disturbs nobody else'] = function()
  local t = talk()
  t:ask('a', 'first', function() error('my mistake') end)
  t:ask('a', 'second', function() error({ 'a table' }) end)
  t:ask('a', 'third')
  local shown = told(2, function()
    t:says('{"id":1,"result":1}')
    t:says('{"id":2,"result":1}')
    t:says('{"id":3,"result":1}')
  end)
  eq(#t:take(), 6)
  eq(#shown, 2)
  eq(shown[1]:find('my mistake', 1, true) ~= nil, true)
  eq(t.connection.ended, nil)
end

T['questions are served under their ids, and answered once'] = function()
  local replies = {}
  local t = talk({ asked = function(method, _, reply) replies[method] = reply end })
  t:says('{"id":"q","method":"a","params":{}}')
  t:says('{"id":7,"method":"b"}')
  replies.b({ x = {} })
  replies.b({ x = 2 })
  replies.a(nil, -5, 'no "way"')
  replies.a({})
  local _, sent = t:take()
  eq(sent, {
    '{"jsonrpc":"2.0","id":7,"result":{"x":[]}}',
    '{"jsonrpc":"2.0","id":"q","error":{"code":-5,"message":"no \\"way\\""}}',
  })
end

T['a question whose answer cannot be written, or whose handler fails, is answered with an error'] = function()
  local t = talk({
    asked = function(method, _, reply)
      if method == 'throws' then error('my mistake') end
      reply({ method == 'function' and print or 0 / 0 })
    end,
  })
  for id, method in ipairs({ 'throws', 'function', 'nan' }) do
    t:says(('{"id":%d,"method":"%s"}'):format(id, method))
  end
  local _, sent = t:take()
  for id, text in ipairs({ 'my mistake', 'cannot hold a function', 'no word for' }) do
    local answer = json.decode(sent[id])
    eq(
      { answer.id, answer.error.code, answer.error.message:find(text, 1, true) ~= nil },
      { id, -32603, true }
    )
  end
end

T['a question is withdrawn by its id, once, and its late answer is not sent'] = function()
  local reply, withdrawn = nil, 0
  local t = talk({
    asked = function(_, _, answer)
      reply = answer
      return function() withdrawn = withdrawn + 1 end
    end,
  })
  t:says('{"id":3,"method":"a"}')
  for _, params in ipairs({ '{"id":4}', '{"id":"3"}', '{}', '{"id":null}', '{"id":[]}' }) do
    t:says(('{"method":"$/cancelRequest","params":%s}'):format(params))
  end
  t:says('{"method":"$/cancelRequest"}')
  eq({ withdrawn, #t.sent }, { 0, 0 })
  t:says('{"method":"$/cancelRequest","params":{"id":3}}')
  t:says('{"method":"$/cancelRequest","params":{"id":3}}')
  eq({ withdrawn, #t.sent }, { 1, 1 })
  reply({ late = true })
  eq(#t.sent, 1)
end

T['the end withdraws what was asked, and nothing is sent any more'] = function()
  local reply, withdrawn = nil, 0
  local t = talk({
    asked = function(_, _, answer)
      reply = answer
      return function() withdrawn = withdrawn + 1 end
    end,
  })
  t:says('{"id":3,"method":"a"}')
  t.connection:closed(closed)
  reply({ x = 1 })
  eq({ withdrawn, #t.sent }, { 1, 0 })
end

T['the last request is answered after the others have failed'] = function()
  local t = talk()
  t:ask('a', 'first')
  t:take()
  t.connection:conclude(closed, 'bye', function() table.insert(t.heard, { 'concluded' }) end)
  local heard, sent = t:take()
  eq({ heard, #sent }, { { { 'first', 'it is gone' } }, 1 })
  t:says('{"id":2,"result":{}}')
  eq(t:take(), { { 'answered', 'bye', vim.empty_dict() }, { 'concluded' } })
  local gone = talk()
  gone.connection:closed(closed)
  gone:take()
  gone.connection:conclude(closed, 'bye', function() table.insert(gone.heard, { 'concluded' }) end)
  eq({ gone:take() }, { { { 'concluded' } }, {} })
end

T['the last request ends with the transport, too'] = function()
  local t = talk()
  t.connection:conclude(closed, 'bye', function() table.insert(t.heard, { 'concluded' }) end)
  t.connection:closed({ kind = 'closed', message = 'ended' })
  eq(t:take(), { { 'concluded' } })
end

return T
