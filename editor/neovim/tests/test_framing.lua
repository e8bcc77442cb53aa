-- Messages are found in a stream however it is cut.
local framing = require('mcp_sidecar.framing')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

local function all_of(reader, text, step)
  local found = {}
  for from = 1, #text, step do
    local bodies, fault = reader:read(text:sub(from, from + step - 1))
    eq(fault, nil)
    vim.list_extend(found, bodies)
  end
  return found
end

local BODIES =
  { '{}', '', '{"a":"\r\n\r\nContent-Length: 5\r\n\r\n"}', 'ü€\0\255', ('x'):rep(20000), '[]' }

T['a frame is what LSP says'] = function()
  eq(framing.frame('{"ü":1}'), 'Content-Length: 8\r\n\r\n{"ü":1}')
  eq(framing.frame(''), 'Content-Length: 0\r\n\r\n')
end

T['messages are whole, whatever the chunks are'] = function()
  local stream = table.concat(vim.tbl_map(framing.frame, BODIES))
  for _, step in ipairs({ 1, 2, 3, 7, 20, 21, 4096, #stream }) do
    eq({ step, all_of(framing.reader(), stream, step) }, { step, BODIES })
  end
end

T['headers may be in any case and order'] = function()
  for _, head in ipairs({
    'content-length: 2',
    'CONTENT-LENGTH:2',
    'Content-Length: \t 2 ',
    'Content-Type: x; charset=utf-8\r\nContent-Length: 2',
    'Content-Length: 2\r\nContent-Type: a:b',
  }) do
    eq({ head, framing.reader():read(head .. '\r\n\r\n{}') }, { head, { '{}' } })
  end
end

T['what is no header block is a fault, after the messages before it'] = function()
  local rows = {
    { 'hello\r\n\r\n', 'a line that is no header' },
    { '\r\n\r\n', 'no Content-Length' },
    { 'Content-Type: x\r\n\r\n', 'no Content-Length' },
    { 'Content-Length:\r\n\r\n', 'no Content-Length' },
    { 'Content-Length: x\r\n\r\n', 'a line that is no header' },
    { 'Content-Length: -1\r\n\r\n', 'a line that is no header' },
    { 'X-Content-Length: 9\r\n\r\n', 'a line that is no header' },
    { 'Content-Length: 9999999999\r\n\r\n', 'it has 9999999999 bytes' },
    { 'Content-Type: ' .. ('x'):rep(9000) .. '\r\nContent-Length: 2\r\n\r\n{}', 'do not end' },
  }
  for _, row in ipairs(rows) do
    local bodies, fault = framing.reader():read(framing.frame('{}') .. row[1])
    eq({ row[1], bodies, fault and fault:find(row[2], 1, true) ~= nil }, { row[1], { '{}' }, true })
  end
end

T['what cannot become a header is a fault at once: the rest may never come'] = function()
  for _, text in ipairs({
    'x',
    'usage: mcp-sidecar',
    '{',
    '\n',
    'Content-Lengthy',
    '\255',
    'Content-Length: 5\r\nC: ',
  }) do
    local reader, fault = framing.reader(), nil
    for at = 1, #text do
      fault = fault or select(2, reader:read(text:sub(at, at)))
    end
    eq({ text, fault }, { text, 'it has a line that is no header' })
  end
end

T['a header block that never ends is a fault, and not kept for ever'] = function()
  local reader = framing.reader()
  local fault
  for sent = 1, 20 do
    local _, why = reader:read(sent == 1 and 'Content-Type: ' or ('x'):rep(1000))
    fault = fault or (why and sent)
  end
  eq(fault, 10)
end

T['what was not understood can be shown, shortened'] = function()
  local reader = framing.reader()
  eq(reader:unread(), '')
  reader:read('usage: other')
  eq(reader:unread(), 'usage: other')
  reader = framing.reader()
  reader:read(('x'):rep(1000))
  eq(#reader:unread(), 200)
end

return T
