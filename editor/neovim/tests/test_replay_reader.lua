-- The parts of the player that are pure: JSON, dialogues, patterns, and the members that patterns leave out.

local completion = require('replay.completion')
local folder = require('replay.folder')
local json = require('replay.raw_json')
local pattern = require('replay.pattern')
local transcript = require('replay.transcript')

local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

---@return table<string, replay.Json>[]
local function cases(name)
  local list = json.read(folder.read('conformance/clients/' .. name)).elements
  assert(#list > 10, ('%s has only %d cases'):format(name, #list))
  return vim.tbl_map(function(case) return case.members end, list)
end

local function text(value) return value and json.unquoted(value.text) end

T['a value keeps its text'] = function()
  local read = json.read(' {"b" : [1.0, "\\u00e9/"],"a":{ },"b2":null}\n')
  eq(read.text, '{"b" : [1.0, "\\u00e9/"],"a":{ },"b2":null}')
  eq(read.names, { 'b', 'a', 'b2' })
  eq(read.members.b.elements[1].text, '1.0')
  eq(json.unquoted(read.members.b.elements[2].text), 'é/')
  eq({ read.members.a.text, read.members.b2.kind }, { '{ }', 'null' })
  local twice = json.read('{"a":1,"b":2,"a":3}')
  eq({ twice.names, twice.members.a.text }, { { 'a', 'b' }, '3' })
end

T['what is not JSON is not read'] = function()
  local wrong = {
    '',
    '{',
    '[1,]',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '[1 2]',
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '-',
    'tru',
    'None',
  }
  vim.list_extend(wrong, { '"a', '"\\x"', '"\t"', '{"a" 1}', '1 2', '[1}', '\f1', 'NaN' })
  for _, each in ipairs(wrong) do
    eq({ each, (pcall(json.read, each)) }, { each, false })
  end
  for _, each in ipairs({ '0', '-0.0e-7', '"\\ud83d\\ude00\\\\"', '[[],{}]', 'true', ' null ', '1E+2' }) do
    eq(json.read(each).text, vim.trim(each))
  end
end

T['members are taken out, replaced and added at their place'] = function()
  local given = json.read('{"a":1,"b":[2],"c":3}')
  eq(json.with(given, 'b', nil).text, '{"a":1,"c":3}')
  eq(json.with(given, 'b', '{}').text, '{"a":1,"b":{},"c":3}')
  eq(json.with(given, 'd', '"\\""').text, '{"a":1,"b":[2],"c":3,"d":"\\""}')
  eq(json.quoted('a"\\/é\1'), '"a\\"\\\\/é\\u0001"')
end

T['a pattern fits what it should, and says where it does not'] = function()
  for _, given in ipairs(cases('patterns.json')) do
    local differs, wrong = text(given.differs), text(given.wrong)
    local held, found = pcall(pattern.mismatch, given.pattern, given.got, {})
    local where = ('%s with %s'):format(given.pattern.text, given.got.text)
    if wrong or differs then
      eq({ where, held, type(found) }, { where, not wrong, 'string' })
      if not found:find(wrong or differs, 1, true) then error(('%s: %s'):format(where, found)) end
    else
      eq({ where, held, found }, { where, true, nil })
    end
  end
end

T['the example of a pattern fits it'] = function()
  for _, given in ipairs(cases('patterns.json')) do
    if not given.wrong then
      local made = json.read(pattern.example(given.pattern, {}))
      eq({ made.text, pattern.mismatch(given.pattern, made, {}) }, { made.text, nil })
    end
  end
end

T['every message that a transcript expects has an example that fits'] = function()
  for _, directory in ipairs({ 'conformance/transcripts', 'conformance/clients' }) do
    for _, file in ipairs(folder.dialogues(directory)) do
      local made, met = {}, {}
      local function check(step)
        if step.verb ~= '<' then return end
        local line = pattern.read(step.args[1])
        local found = pattern.mismatch(line, json.read(pattern.example(line, made)), met)
        if found then error(('%s:%d: %s'):format(file.path, step.line, found)) end
      end
      for _, step in ipairs(transcript.read(file.text, folder.expand).steps) do
        check(step)
        vim.iter(step.group):each(check)
      end
    end
  end
end

T['what a pattern leaves out is what the protocol requires'] = function()
  for _, given in ipairs(cases('completions.json')) do
    local said = given.told.members
    local told = {
      revision = tonumber(said.revision.text),
      hash = text(said.hash),
      tools = said.tools.elements,
      servers = said.servers.elements,
      errors = said.errors.elements,
    }
    local complete = given.params and completion.params or completion.result
    local got = complete(text(given.method), given.params or given.result, told)
    eq({ text(given.title), got }, { text(given.title), given.want.text })
  end
end

T['an error without a message has an empty one'] = function()
  eq(completion.error(json.read('{"code":1008}')), '{"code":1008,"message":""}')
  eq(completion.error(json.read('{"code":1,"message":"m"}')), '{"code":1,"message":"m"}')
end

T['every kind of line is read'] = function()
  local read = transcript.read(
    [[
L99: something is so

Why: because.
-- project/a.json --
{}
-- dialogue --
# a comment
start ndjson K=v --flag
> {"id":1,
   "method":"$HOME"}
<{
  < {"id":1}
  < {"method":"x",
     "params":{}}
}
raw "a\xff\n"
count fs got tools/list <= 3
exit 0
]],
    folder.expand
  )
  eq({ read.title, read.comment }, { 'L99: something is so', 'Why: because.' })
  local group = {
    { line = 12, verb = '<', args = { '{"id":1}' }, group = {} },
    { line = 13, verb = '<', args = { '{"method":"x", "params":{}}' }, group = {} },
  }
  eq(read.steps, {
    { line = 8, verb = 'start', args = { 'ndjson', 'K=v', '--flag' }, group = {} },
    { line = 9, verb = '>', args = { '{"id":1, "method":"/conformance/home"}' }, group = {} },
    { line = 11, verb = '<{', args = {}, group = group },
    { line = 16, verb = 'raw', args = { '"a\\xff\\n"' }, group = {} },
    { line = 17, verb = 'count', args = { 'fs', 'got', 'tools/list', '<=', '3' }, group = {} },
    { line = 18, verb = 'exit', args = { '0' }, group = {} },
  })
end

T['a file without a title or a dialogue is none'] = function()
  local function problem_of(given)
    local _, problem = pcall(transcript.read, given, folder.expand)
    return tostring(problem)
  end
  eq(problem_of('\n-- dialogue --\n'), 'line 1: the first line must say what the transcript shows')
  eq(problem_of('title\n-- home/x --\n'), 'line 1: no section named dialogue')
  eq(problem_of('title\n-- dialogue --\n-- dialogue --\n'), 'line 4: two sections named dialogue')
end

T['placeholders stand for what they say'] = function()
  local expand = folder.expand
  eq(expand('$HOME $PROJECT/x $CACHE'), '/conformance/home /conformance/project/x /conformance/cache')
  eq(expand('$STATE $FAKE'), '/conformance/state /conformance/fake')
  eq(expand('$SCRIPT(a-b) $URL(c)'), '/conformance/scripts/a-b http://127.0.0.1:1/c')
  eq(json.read(expand('{$STDIO(d)}')).names, { 'command', 'args' })
  eq(json.read(expand('{$INIT}')).names, { 'protocolVersion', 'client', 'cwd' })
  eq(expand('$OTHER $URL $HOMEs $HOME_x'), '$OTHER $URL $HOMEs $HOME_x')
end

return T
