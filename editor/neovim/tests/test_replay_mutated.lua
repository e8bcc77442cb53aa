-- The player itself: what it must see. A suite that passes whatever happens would pass these, too.

local failure = require('replay.failure')
local folder = require('replay.folder')
local player = require('replay.player')
local transcript = require('replay.transcript')

local T = MiniTest.new_set()

---@return replay.Failure? problem nil if the dialogue passes
local function problem_of(text, through)
  local held, problem = pcall(function() player.play(transcript.read(text, folder.expand), through) end)
  if not held and not failure.is(problem) then error(problem, 0) end
  return not held and problem or nil
end

T['a broken dialogue fails at the line that is marked in it'] = MiniTest.new_set()
local broken = folder.dialogues('conformance/clients/broken')
for _, file in ipairs(broken) do
  T['a broken dialogue fails at the line that is marked in it'][file.name] = function()
    local marked
    for i, line in ipairs(vim.split(file.text, '\n')) do
      if vim.trim(line) == '# must fail here' then marked = i + 1 end
    end
    assert(marked, file.path .. ' has no line "# must fail here"')
    local problem = problem_of(file.text)
    assert(problem, 'it passes')
    assert(
      problem.line == marked,
      ('it fails at line %d, not %d: %s'):format(problem.line, marked, problem.message)
    )
  end
end
T['there are broken dialogues'] = function() assert(#broken >= 25, ('only %d were found'):format(#broken)) end

local dialogues = {}
for _, directory in ipairs({ 'conformance/transcripts', 'conformance/clients' }) do
  for _, file in ipairs(folder.dialogues(directory)) do
    dialogues[file.name] = file.text
  end
end

---What stands on the way: a message is passed on as it is, changed, twice, or not at all.
---@alias Way fun(body: string, pass: fun(body: string))

---@param way Way
---@return replay.Through
local function to_client(way)
  return {
    listener = function(listener)
      return { message = function(body) way(body, listener.message) end, ended = listener.ended }
    end,
  }
end

---@param way Way
---@return replay.Through
local function to_test(way)
  return {
    transport = function(pipe)
      local function pass(body) pipe:send(body) end
      -- Neovim 0.10 writes "/" as "\\/".
      local function send(_, body) way((body:gsub('\\/', '/')), pass) end
      return { send = send, close = function() pipe:close() end }
    end,
  }
end

---@return Way
local function losing(words)
  return function(body, pass)
    if not body:find(words, 1, true) then pass(body) end
  end
end

---@return Way
local function doubling(words)
  return function(body, pass)
    pass(body)
    if body:find(words, 1, true) then pass(body) end
  end
end

---@return Way
local function changing(words, others)
  return function(body, pass)
    local from, to = body:find(words, 1, true)
    pass(from and body:sub(1, from - 1) .. others .. body:sub(to + 1) or body)
  end
end

---A client one of whose methods is another.
---@param make fun(original: function, client: table): function
---@return replay.Through
local function other_method(name, make)
  return {
    client = function(client)
      client[name] = make(client[name], client)
      return client
    end,
  }
end

---A client whose method calls back in another way: the last argument is its callback.
---@param make fun(callback: function): function
---@return replay.Through
local function other_callback(name, make)
  return other_method(name, function(original)
    return function(...)
      local args = { n = select('#', ...), ... }
      args[args.n] = make(args[args.n])
      return original(unpack(args, 1, args.n))
    end
  end)
end

local function twice(callback)
  return function(...)
    callback(...)
    callback(...)
  end
end

---What goes wrong on the way: the fault, the dialogue that shows it, and what the player says.
---@type table<string, [replay.Through, string, string]>
local on_the_way = {
  ['a status that is lost'] = { to_client(losing('mcp/status')), 'states', 'tools/1/state' },
  ['a push that is lost'] = { to_client(losing('tools/changed')), 'changes', 'tools' },
  ['a push that is taken for a new one'] = {
    to_client(changing('"revision":4,', '"revision":6,')),
    'stale',
    'no line names: .*snapshot',
  },
  ['a snapshot that is taken for a new one'] = {
    to_client(changing('"revision":4,"hash":"4"', '"revision":6,"hash":"4"')),
    'stale',
    'tools',
  },
  ['diagnostics that are lost'] = { to_client(losing('config/diagnostics')), 'changes', 'errors' },
  ['a log that is lost'] = { to_client(losing('runtime/log')), 'notices', 'the events' },
  ['a log that comes changed'] = { to_client(changing('"one"', '"two"')), 'notices', 'the events' },
  ['a log that comes twice'] = { to_client(doubling('runtime/log')), 'notices', 'the events' },
  ['progress that is lost'] = { to_client(losing('$/progress')), 'abandoned', 'the events' },
  ['an answer that is lost'] = { to_client(losing('"id":1,')), 'gap', 'tools' },
  ['a result that comes changed'] = {
    to_client(changing('"id":3,"result":{"name":"a"', '"id":3,"result":{"name":"b"')),
    'states',
    'the outcome of mcp/connect/name',
  },
  ['an error that comes changed'] = { to_client(changing('1008', '1007')), 'share', 'the code' },
  ['the data of an error that comes changed'] = {
    to_client(changing('[2,3]', '[2,4]')),
    'opening',
    'the data',
  },
  ['an empty list that comes as an object'] = {
    to_client(changing('"content":[]', '"content":{}')),
    'opening',
    'the outcome of tools/call/',
  },
  ['a question that is lost'] = { to_client(losing('trust/approve')), 'questions', 'was not asked' },
  ['a question that comes twice'] = { to_client(doubling('trust/approve')), 'questions', 'without need' },
  ['a question that is not withdrawn'] = {
    to_client(losing('$/cancelRequest')),
    'withdrawn',
    'does not learn',
  },
  ['an end that nobody hears of'] = {
    {
      listener = function(listener)
        return { message = listener.message, ended = function() end }
      end,
    },
    'ended',
    'still waits',
  },
  ['an end without its exit code'] = {
    {
      listener = function(listener)
        return { message = listener.message, ended = function(reason) listener.ended(reason) end }
      end,
    },
    'ended',
    'how the sidecar ended',
  },
  ['a client that is late'] = {
    {
      listener = function(listener)
        return { message = vim.schedule_wrap(listener.message), ended = listener.ended }
      end,
    },
    'gap',
    'tools',
  },
  ['a request that is lost'] = { to_test(losing('mcp/connect')), 'states', 'has sent nothing' },
  ['a request that is said twice'] = { to_test(doubling('initialize')), 'states', 'no line names' },
  ['a request that is changed'] = {
    to_test(changing('"timeoutMs":50', '"timeoutMs":51')),
    'abandoned',
    'timeoutMs: want 50',
  },
  ['a request that is no JSON-RPC 2.0'] = {
    to_test(changing('"jsonrpc":"2.0",', '')),
    'gap',
    'not JSON%-RPC 2%.0',
  },
  ['a request without an id'] = { to_test(changing('"id":1,', '')), 'gap', 'no usable id' },
  ['a request with an id in flight'] = { to_test(changing('"id":2,', '"id":1,')), 'ended', 'is in flight' },
  ['a message too many'] = {
    to_test(function(body, pass)
      pass(body)
      if body:find('initialize', 1, true) then pass('{"jsonrpc":"2.0","method":"no/such"}') end
    end),
    'states',
    'no line names: .*no/such',
  },
  ['a gap that is not asked about'] = { to_test(losing('tools/snapshot')), 'gap', 'has sent nothing' },
  ['a cancellation that is not said'] = {
    to_test(losing('$/cancelRequest')),
    'abandoned',
    'has sent nothing',
  },
  ['a token that was not asked for'] = {
    to_test(changing('"servers":["fs"]', '"servers":["fs"],"progressToken":1')),
    'ended',
    'a token for progress',
  },
  ['a shutdown that is not said'] = { to_test(losing('runtime/shutdown')), 'gap', 'has sent nothing' },
  ['an exit that is not said'] = { to_test(losing('runtime/exit')), 'gap', 'has sent nothing' },
  ['an answer to the sidecar that is lost'] = { to_test(losing('-32601')), 'no-handlers', 'has sent nothing' },
  ['an answer to the sidecar that is changed'] = {
    to_test(changing('"allow"', '"deny"')),
    'questions',
    'decisions/fs: want "allow"',
  },
}

---A client that changes the list that it has given out.
local function same_list(original)
  local list = {}
  return function(client)
    local now = original(client)
    for i = 1, math.max(#list, #now) do
      list[i] = now[i]
    end
    return list
  end
end

local function other_bytes(callback)
  return function(err, outcome)
    callback(err, outcome and {
      result = outcome.result,
      details = outcome.details,
      json = vim.json.encode(outcome.result),
    })
  end
end

local function no_cancel(original)
  return function(...)
    original(...)
    return function() end
  end
end

---Does this besides.
local function also(act)
  return function(original)
    return function(...)
      act()
      return original(...)
    end
  end
end

---What a client does wrong: likewise.
---@type table<string, [replay.Through, string, string]>
local in_the_client = {
  ['a list that changes under its holder'] = {
    other_method('tools', same_list),
    'changes',
    'given out before',
  },
  ['an outcome that comes twice'] = { other_callback('connect', twice), 'states', 'ended twice' },
  ['an outcome that never comes'] = {
    other_callback('search', function()
      return function() end
    end),
    'methods-search-and-logs',
    'still waits',
  },
  ['a result that was written again'] = { other_callback('call', other_bytes), 'L24-byte-for-byte', '/json' },
  ['an abandoned request that goes on'] = { other_method('logs', no_cancel), 'abandoned', 'still waits' },
  ['a refused version that is like any other error'] = {
    other_callback('initialize', function(callback)
      return function(err, result)
        if err then err.kind = 'response' end
        callback(err, result)
      end
    end),
    'opening',
    'the kind of error',
  },
  ['another reason for each call'] = {
    other_callback('call', function(callback)
      return function(err, outcome) callback(err and vim.tbl_extend('force', {}, err), outcome) end
    end),
    'ended',
    'for another reason',
  },
  ['a client that does not say that it is closed'] = {
    other_method('closed', function()
      return function() end
    end),
    'ended',
    'for another reason',
  },
  ['a close that is told twice'] = { other_callback('close', twice), 'gap', 'the callbacks of close' },
  ['a close that is never told'] = {
    other_callback('close', function()
      return function() end
    end),
    'gap',
    'the callbacks of close',
  },
  ['a close by force'] = {
    other_method('request', function(original, client)
      return function(self, method, ...)
        if method == 'mcp/servers' then client.transport:close() end
        return original(self, method, ...)
      end
    end),
    'states',
    'nothing',
  },
  ['a timer that is left behind'] = {
    other_method('reload', also(function() vim.uv.new_timer() end)),
    'changes',
    'timers behind',
  },
  ['a message that nobody asked for'] = {
    other_method('reload', also(function() vim.notify('hello') end)),
    'changes',
    'hello',
  },
}

for what, faults in vim.spairs({ ['on the way'] = on_the_way, ['in the client'] = in_the_client }) do
  T[what] = MiniTest.new_set()
  for fault, given in vim.spairs(faults) do
    T[what][fault] = function()
      local through, name, complaint = unpack(given)
      local problem = problem_of(assert(dialogues[name], name), through)
      assert(problem, name .. ' passes')
      assert(problem.message:find(complaint), problem.message)
    end
  end
end

---How many messages of a dialogue may go wrong in this way, each alone, without the player seeing it.
---@param make fun(way: Way): replay.Through
---@param times integer how often the message comes
local function unseen(text, make, times)
  local count, number = 0, 0
  repeat
    number = number + 1
    local seen = 0
    local problem = problem_of(
      text,
      make(function(body, pass)
        seen = seen + 1
        for _ = 1, seen == number and times or 1 do
          pass(body)
        end
      end)
    )
    local went_wrong = seen >= number
    assert(went_wrong or not problem, tostring(problem))
    if went_wrong and not problem then count = count + 1 end
  until not went_wrong
  return count
end

---The messages that change nothing, so that nobody misses them: late answers to what was abandoned or left, pushes that
---are old or whose snapshot is under way, questions that are withdrawn and answered, notifications that are not known.
local missed_by_nobody =
  { abandoned = 2, ended = 1, gap = 2, ['no-id'] = 1, notices = 3, stale = 3, withdrawn = 2 }

T['any message is missed, and any that the client says twice is seen'] = MiniTest.new_set()
for _, file in ipairs(folder.dialogues('conformance/clients')) do
  T['any message is missed, and any that the client says twice is seen'][file.name] = function()
    MiniTest.expect.equality(unseen(file.text, to_client, 0), missed_by_nobody[file.name] or 0)
    MiniTest.expect.equality(unseen(file.text, to_test, 0), 0)
    MiniTest.expect.equality(unseen(file.text, to_test, 2), 0)
  end
end

return T
