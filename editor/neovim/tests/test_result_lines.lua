local attachments = require('mcp_sidecar.ui.attachments')
local json = require('mcp_sidecar.json')
local result_lines = require('mcp_sidecar.ui.result_lines')
local user = require('user')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

-- A page of a result that is given as a table or as JSON text, nothing saved.
local function page(result, details)
  local outcome = user.outcome('', details)
  outcome.json = type(result) == 'string' and result or json.encode(result)
  outcome.result = json.decode(outcome.json)
  return result_lines.render(outcome, attachments.collect(outcome.result))
end

local function text(...)
  local content = {}
  for i, one in ipairs({ ... }) do
    content[i] = { type = 'text', text = one }
  end
  return { content = content }
end

-- Rules without their tail. (Lua sees bytes: the class has those of the one character.)
local function plain(lines)
  return vim.tbl_map(function(line) return (line:gsub(' [─]+$', '')) end, lines)
end

T['one text stands as it is'] = MiniTest.new_set({
  parametrize = {
    { 'hello', { 'hello' }, '' },
    { 'two\nlines\n', { 'two', 'lines' }, '' },
    { 'dos\r\nlines\r\n', { 'dos', 'lines' }, '' },
    { '', { '' }, '' },
    { '\n\n', { '', '' }, '' },
    { '42', { '42' }, '' },
    { 'bell \7 and \27[31mred', { 'bell \7 and \27[31mred' }, '' },
    { 'lone\rreturn', { 'lone\rreturn' }, '' },
    {
      '{"b":12345678901234567890,"a":1.0}',
      { '{', '  "b": 12345678901234567890,', '  "a": 1.0', '}' },
      'json',
    },
    { ' [] \n', { '[]' }, 'json' },
    { '{"a": 1} and more', { '{"a": 1} and more' }, '' },
    { '{"a": }', { '{"a": }' }, '' },
    { '# Title\n\nSee [it](https://x).', { '# Title', '', 'See [it](https://x).' }, 'markdown' },
    { '```\ncode\n```', { '```', 'code', '```' }, 'markdown' },
    { '- a\n- b\n- c', { '- a', '- b', '- c' }, 'markdown' },
    { '| a | b |\n|---|---|', { '| a | b |', '|---|---|' }, 'markdown' },
    { '# a comment\nx = 1', { '# a comment', 'x = 1' }, '' },
    { '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b', { '--- a/x', '+++ b/x', '@@ -1 +1 @@', '-a', '+b' }, 'diff' },
    { 'diff --git a/x b/x\nindex 1..2', { 'diff --git a/x b/x', 'index 1..2' }, 'diff' },
    { '--- a\n+++ b\nno hunk', { '--- a', '+++ b', 'no hunk' }, '' },
  },
})

T['one text stands as it is']['test'] = function(said, lines, filetype)
  local made = page(text(said))
  eq(made.lines, lines)
  eq({ made.filetype, made.big, made.text }, { filetype, false, lines })
end

T['bytes that are no UTF-8 go through'] = function()
  local outcome = user.outcome('')
  outcome.result = text('a\255b\0c')
  eq(result_lines.render(outcome, {}).lines, { 'a\255b\0c' })
end

T['several blocks are ruled off'] = function()
  local made = page(text('one', '{"a":1}'))
  eq(plain(made.lines), { '── text', 'one', '── text', '{', '  "a": 1', '}' })
  eq(made.filetype, '')
  eq(made.text, { 'one', '{', '  "a": 1', '}' })
  eq({ made.marks[1].row, made.marks[1].group, made.marks[2].row }, { 0, 'McpHeading', 2 })
end

T['structured content is shown unless the text says the same'] = MiniTest.new_set({
  parametrize = {
    {
      '{"content":[{"type":"text","text":"{\\"b\\":1,\\"a\\":2}"}],"structuredContent":{"b":1,"a":2}}',
      { '{', '  "b": 1,', '  "a": 2', '}' },
      'json',
    },
    {
      '{"content":[{"type":"text","text":"{\\"a\\": 2, \\"b\\": 1.0}"}],"structuredContent":{"b":1,"a":2}}',
      { '{', '  "a": 2,', '  "b": 1.0', '}' },
      'json',
    },
    { '{"content":[{"type":"text","text":"hi"}],"structuredContent":{"result":"hi"}}', { 'hi' }, '' },
    { '{"content":[{"type":"text","text":"5"}],"structuredContent":{"result":5}}', { '5' }, '' },
    { '{"content":[{"type":"text","text":"hi"}],"structuredContent":{"content":"hi"}}', { 'hi' }, '' },
    {
      '{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"result":["a","b"]}}',
      { '── text', 'a', '── text', 'b' },
      '',
    },
    {
      '{"content":[{"type":"text","text":"sunny"}],"structuredContent":{"t":12345678901234567890}}',
      { '── text', 'sunny', '── structured content', '{', '  "t": 12345678901234567890', '}' },
      '',
    },
    { '{"content":[],"structuredContent":{"t":1}}', { '{', '  "t": 1', '}' }, 'json' },
    { '{"structuredContent":[1]}', { '[', '  1', ']' }, 'json' },
    { '{"content":[{"type":"text","text":"x"}],"structuredContent":null}', { 'x' }, '' },
  },
})

T['structured content is shown unless the text says the same']['test'] = function(source, lines, filetype)
  local made = page(source)
  eq(plain(made.lines), lines)
  eq(made.filetype, filetype)
end

T['resources have a header'] = MiniTest.new_set({
  parametrize = {
    {
      { uri = 'file:///p/a.py', mimeType = 'text/x-python', text = 'x = 1\n' },
      { '── resource  file:///p/a.py  text/x-python', 'x = 1' },
      'python',
    },
    {
      { uri = 'file:///p/a%20b.lua?x#y', text = 'x = 1' },
      { '── resource  file:///p/a%20b.lua?x#y', 'x = 1' },
      'lua',
    },
    {
      { uri = 'memo://1', mimeType = 'Text/Markdown; charset=utf-8', text = 'x' },
      { '── resource  memo://1  Text/Markdown; charset=utf-8', 'x' },
      'markdown',
    },
    { { uri = 'memo://1', text = '{"a":1}' }, { '── resource  memo://1', '{', '  "a": 1', '}' }, 'json' },
    { { text = 'x' }, { '── resource', 'x' }, '' },
  },
})

T['resources have a header']['test'] = function(resource, lines, filetype)
  local made = page({ content = { { type = 'resource', resource = resource } } })
  eq(plain(made.lines), lines)
  eq(made.filetype, filetype)
end

T['links can be opened'] = function()
  local link = {
    type = 'resource_link',
    name = 'a.txt',
    uri = 'file:///p/a.txt',
    mimeType = 'text/plain',
    size = 2048,
    description = 'An a.',
  }
  local made = page({ content = { link } })
  eq(made.lines, { 'link  a.txt  text/plain  2.0 KB  file:///p/a.txt', 'An a.' })
  eq(made.targets, { { uri = 'file:///p/a.txt' } })
  eq(page({ content = { { type = 'resource_link' } } }).lines, { 'link  without a URI' })
  local several = page({
    content = { { type = 'text', text = 'x' }, { type = 'resource_link' }, { type = 'resource_link' } },
  })
  eq(
    plain(several.lines),
    { '── text', 'x', '── resource_link', 'link  without a URI', 'link  without a URI' }
  )
end

T['bytes are one line, with their size'] = function()
  local png = '\137PNG\r\n\26\n\0\0\0\13IHDR' .. '\0\0\2\128' .. '\0\0\1\224' .. ('x'):rep(1000)
  local outcome = user.outcome('')
  outcome.result = {
    content = {
      { type = 'image', mimeType = 'image/png', data = vim.base64.encode(png) },
      { type = 'audio', mimeType = 'audio/wav', data = 'not base64!' },
      { type = 'resource', resource = { uri = 'x://y', blob = vim.base64.encode('abc') } },
    },
  }
  local found = attachments.collect(outcome.result)
  found[1].path = '/cache/1-1.png'
  local made = result_lines.render(outcome, found)
  eq(plain(made.lines), {
    '── image',
    'image  image/png  640x480  1.0 KB  /cache/1-1.png',
    '── audio',
    'audio  audio/wav  its data is no base64',
    '── resource  x://y',
    'blob  no type  3 B  x://y  it was not saved',
  })
  eq(made.targets[2], { path = '/cache/1-1.png', attachment = found[1] })
  eq({ made.targets[4], made.text }, { nil, {} })
end

T['a failure is told before anything else, and what the sidecar knows of it after'] = function()
  local result = text('server "fs": call: exited')
  result.isError = true
  local failure = {
    code = 'exited',
    stage = 'call',
    message = 'm',
    hint = 'Install it.',
    stderr = { 'Traceback', 'boom\27[0m' },
  }
  local made = page(result, { error = failure })
  eq(plain(made.lines), {
    'ERROR from fs/read (exited)',
    '',
    'server "fs": call: exited',
    'hint: Install it.',
    '── the last lines of its stderr',
    'Traceback',
    'boom\\e[0m',
  })
  eq(made.marks[1], { row = 0, from = 0, to = 27, group = 'McpError' })
  eq(made.text, { 'server "fs": call: exited' })
  local odd = page({ isError = true, content = { { type = 'text', text = '{"a":1}' } } })
  eq({ odd.filetype, odd.lines }, { '', { 'ERROR from fs/read', '', '{', '  "a": 1', '}' } })
  eq(page({ isError = true }).lines, { 'ERROR from fs/read', '', '(it says no more)' })
end

T['what is cut says where the whole is'] = function()
  local made = page(text('x'), { truncated = { bytes = 3 * 1024 * 1024, file = '/tmp/whole' } })
  eq(made.lines, { 'x', 'The rest is cut: all 3.0 MB are in /tmp/whole' })
  eq(made.targets[2], { path = '/tmp/whole' })
end

T['results that are none of MCP’s are shown as they are'] = MiniTest.new_set({
  parametrize = {
    { '{}', { '(the tool answered, without content)' } },
    { '{"content":[],"_meta":{"x":1}}', { '(the tool answered, without content)' } },
    { '{"content":null}', { '(the tool answered, without content)' } },
    { '{"toolResult":1.50}', { '{', '  "toolResult": 1.50', '}' } },
    { '{"content":{"type":"text"}}', { '{', '  "content": {', '    "type": "text"', '  }', '}' } },
    { '{"content":"text"}', { '{', '  "content": "text"', '}' } },
    { '"text"', { '"text"' } },
    { '[1]', { '[', '  1', ']' } },
    { '{"content":[5]}', { 'A block that is not understood:', '5' } },
    { '{"content":[null]}', { 'A block that is not understood:', 'null' } },
    {
      '{"content":[{"type":"new","x":1}]}',
      { 'A block that is not understood:', '{', '  "type": "new",', '  "x": 1', '}' },
    },
    {
      '{"content":[{"text":5,"type":"text"}]}',
      { 'A block that is not understood:', '{', '  "text": 5,', '  "type": "text"', '}' },
    },
    {
      '{"content":[{"type":"resource"}]}',
      { '── resource', 'A block that is not understood:', '{', '  "type": "resource"', '}' },
    },
    {
      '{"content":[{"type":["x"]}]}',
      { 'A block that is not understood:', '{', '  "type": [', '    "x"', '  ]', '}' },
    },
  },
})

T['results that are none of MCP’s are shown as they are']['test'] = function(source, lines)
  eq(plain(page(source).lines), lines)
end

T['every line is one line, and every mark lies in its line'] = function()
  local nasty = 'a\nb\r\nc\0\27'
  local content = {
    { type = nasty },
    { type = 'resource_link', name = nasty, uri = nasty, description = nasty, mimeType = nasty },
  }
  vim.list_extend(content, {
    { type = 'image', mimeType = nasty, data = 'YQ==' },
    { type = 'resource', resource = { uri = nasty, mimeType = nasty, text = nasty } },
    { type = 'resource', resource = { uri = nasty, mimeType = nasty, blob = nasty } },
  })
  local failure = { code = nasty, hint = nasty, stderr = { nasty, 5 } }
  local outcome = user.outcome(
    { content = content, isError = true, structuredContent = { nasty } },
    { error = failure, server = nasty }
  )
  local made = result_lines.render(outcome, attachments.collect(outcome.result))
  for _, line in ipairs(made.lines) do
    eq({ line, line:find('\n') }, { line, nil })
  end
  for _, mark in ipairs(made.marks) do
    eq(mark.from < mark.to and mark.to <= #made.lines[mark.row + 1], true)
  end
end

T['what is long has no syntax'] = function()
  local made = page(text(('x'):rep(99) .. '\n' .. ('{"a":1}\n'):rep(140000)))
  eq({ made.big, made.filetype, #made.lines }, { true, '', 140001 })
  local big = page(text('[' .. ('"0123456789",'):rep(90000) .. '1]'))
  eq({ big.big, big.filetype, #big.lines }, { true, '', 90003 })
end

T['the header tells the tool, the time and what went wrong'] = function()
  local function header(result, details)
    return table.concat(
      vim.tbl_map(
        function(piece) return piece[1] end,
        result_lines.header('fs/read', user.outcome(result, details))
      )
    )
  end
  eq(header('x'), ' fs/read  12 ms')
  eq(header('x', { durationMs = 1249, waitedMs = 50 }), ' fs/read  1.2 s')
  eq(header('x', { durationMs = 61000, waitedMs = 2500 }), ' fs/read  1 min 1 s  waited 2.5 s')
  eq(header('x', { deferred = true, waitedMs = 3 }), ' fs/read  12 ms  waited 3 ms')
  eq(header({ isError = true }), ' fs/read  12 ms  error')
end

return T
