local cases = require('adapter_cases')
local content = require('mcp_sidecar.adapters.content')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

---Lua does not know the order of members, so a text that is JSON is compared as what it says.
local function comparable(part)
  if part.type == 'image' then return { image = part.mime_type, data = part.data } end
  if part.type == 'pdf' then return { pdf = part.name, data = part.data } end
  local text = part.text or part
  local ok, value = pcall(vim.json.decode, text)
  return ok and type(value) == 'table' and { json = cases.as_json(value) } or text
end

T['shared cases'] = new_set()
for _, case in ipairs(cases.read('results.json')) do
  T['shared cases'][case.name] = function()
    local plugin = vim.json.decode(vim.json.encode(case.given), { luanil = { object = true } })
    local outcome = { result = plugin, json = cases.as_json(case.given) }
    local shown = vim.tbl_map(comparable, content.parts(outcome))
    eq(
      shown,
      vim.tbl_map(function(part) return type(part) == 'table' and part or comparable(part) end, case.parts)
    )
    eq(plugin.isError == true, case.failed == true)
  end
end

T['structured content is the server’s own text'] = function()
  local text = '{"structuredContent": {"b": 12345678901234567890, "a": null} }'
  local outcome = { result = vim.json.decode(text, { luanil = { object = true } }), json = text }
  eq(content.parts(outcome), { { type = 'text', text = '{"b": 12345678901234567890, "a": null}' } })
  outcome.json = nil
  outcome.result = { structuredContent = { a = {} } }
  eq(content.parts(outcome), { { type = 'text', text = '{"a":[]}' } })
end

T['a failure says so in words, once'] = new_set({
  parametrize = {
    { 'no such file', 'Error: no such file' },
    { 'Error: gone', 'Error: gone' },
    { '** MCP ERROR!', '** MCP ERROR!' },
    { 'TypeError: x', 'Error: TypeError: x' },
    { 'errors: 2', 'Error: errors: 2' },
  },
}, {
  test = function(said, expected)
    local parts = { { type = 'text', text = said }, { type = 'text', text = 'more' } }
    eq(content.in_words(content.saying_failure(parts, true)), expected .. '\nmore')
    eq(content.in_words(content.saying_failure(parts, false)), said .. '\nmore')
  end,
})

T['what cannot be shown is named, with its size'] = function()
  local image = { type = 'image', data = ('A'):rep(5 * 1024 * 1024 + 4), mime_type = 'image/png' }
  eq(content.note(image), '[an image, image/png, 3.9 MB, that cannot be shown here]')
  eq(content.fitting(image).text, content.note(image))
  image.data = ('A'):rep(4000)
  eq(content.fitting(image), image)
  eq(
    content.in_words({ image, { type = 'pdf', data = 'AAAA', name = 'a.pdf' } }),
    table.concat({
      '[an image, image/png, 3 kB, that cannot be shown here]',
      '[the file a.pdf, 3 bytes, that cannot be shown here]',
    }, '\n')
  )
end

T['bytes that are no characters do not get through'] = function()
  local parts = content.parts({ result = { content = { { type = 'text', text = 'a\255' } } } })
  eq(parts[1].text, 'a�')
end

return T
