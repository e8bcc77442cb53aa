-- What the dialog about a project's servers says.
local lines_of = require('mcp_sidecar.ui.trust_lines')
local eq = MiniTest.expect.equality

local T = MiniTest.new_set()

---@return mcp_sidecar.ProjectServer
local function server(given)
  return vim.tbl_extend('force', { name = 's', path = '/p/.mcp.json', project = '/p', uses = {} }, given)
end

---render with a place of 80 cells, unless another is given.
local function render(servers, chosen, place)
  local whole = { project = '~/p', width = 80, keys = false }
  return lines_of.render(servers, chosen or {}, vim.tbl_extend('force', whole, place or {}))
end

---about are the lines below the introduction.
local function about(given, place)
  local lines = render({ server(given) }, {}, place).lines
  eq(lines[3], '')
  return vim.list_slice(lines, 4)
end

T['printable shows'] = MiniTest.new_set({
  parametrize = {
    { 'npx -y ünïcödé 日本', 'npx -y ünïcödé 日本' },
    { 'a\nb\r\tc\27[2J\0', 'a\\nb\\r\\tc\\e[2J\\x00' },
    { 'turned \226\128\174round', 'turned \\u{202e}round' },
    { 'zero\226\128\139width', 'zero\\u{200b}width' },
    { 'joined\226\128\141', 'joined\\u{200d}' },
    { 'a\194\160b', 'a\\u{a0}b' },
    { 'soft\194\173hyphen', 'soft\\u{ad}hyphen' },
    { 'wide\227\128\128blank', 'wide\\u{3000}blank' },
    { 'filler\227\133\164', 'filler\\u{3164}' },
    { 'braille\226\160\128', 'braille\\u{2800}' },
    { 'selector\239\184\143', 'selector\\u{fe0f}' },
    { 'tag\243\160\129\129 and \243\160\132\128', 'tag\\u{e0041} and \\u{e0100}' },
    { 'bytes \255\254', 'bytes \\xff\\xfe' },
  },
})
T['printable shows']['what hides'] = function(text, wanted) eq(lines_of.printable(text), wanted) end

T['command_of quotes'] = MiniTest.new_set({
  parametrize = {
    { { command = 'npx', args = { '-y', '@scope/name@1.2', '.' } }, 'npx -y @scope/name@1.2 .' },
    {
      { command = 'sh', args = { '-c', 'curl x | sh; rm -rf "$HOME"' } },
      [[sh -c 'curl x | sh; rm -rf "$HOME"']],
    },
    { { command = 'a b', args = { '', "it's" } }, [['a b' '' 'it'\''s']] },
    { { command = 'x', args = { 'one\n--two' } }, [[x 'one\n--two']] },
    { { command = 'x', args = { '~', '$(id)', '`id`', '*' } }, [[x '~' '$(id)' '`id`' '*']] },
    { { command = 'x', args = { '${input:token}' } }, [[x '${input:token}']] },
    { { url = 'https://e.org/mcp?a=\nb' }, 'https://e.org/mcp?a=\\nb' },
    { {}, 'nothing: its entry has neither a command nor an address' },
  },
})
T['command_of quotes']['words as a shell needs them'] = function(given, wanted)
  eq(lines_of.command_of(server(given)), wanted)
end

T['a command is shown with all that belongs to it'] = function()
  local given =
    { command = 'npx', args = { 'x y' }, cwd = 'sub dir', env = { B = '${B}', A = '1', ['C D'] = '' } }
  given.uses = { '${B}', '$(op read x)', 'file:/etc/x', '${input:t}' }
  eq(about(given), {
    '[ ] s   not decided',
    "      runs  npx 'x y'",
    '      in    sub dir',
    "      env   A=1 B='${B}' 'C D'=''",
    '      uses  ${B}, $(op read x), file:/etc/x, ${input:t}',
    '      file  /p/.mcp.json',
  })
end

T['an address is shown with its headers'] = function()
  eq(about({ url = 'https://e.org', headers = { Authorization = 'Bearer ${T}', X = 'a\r\nb' } }), {
    '[ ] s   not decided',
    '      contacts  https://e.org',
    [[      headers  Authorization='Bearer ${T}' X='a\r\nb']],
    '      file  /p/.mcp.json',
  })
end

T['a name, a path and a project cannot break a line'] = function()
  local out = render(
    { server({ name = 'a\n[+] b', path = '/p\n/x', command = 'x' }) },
    {},
    { project = '~/p\nq' }
  )
  eq(out.lines, {
    'Files of ~/p\\nq name this server.',
    'One that is allowed runs as you do, now and later, as it is written here.',
    '',
    '[ ] a\\n[+] b   not decided',
    '      runs  x',
    '      file  /p\\n/x',
  })
end

T['each server has what was chosen for it, in its colour'] = function()
  local servers = {}
  for i, name in ipairs({ 'a', 'b', 'c', 'd' }) do
    servers[i] = server({ name = name, command = 'x' })
  end
  local out = render(servers, { 'allow', 'deny', 'later' })
  eq(out.lines[1], 'Files of ~/p name these 4 servers.')
  local heads = {}
  for _, mark in ipairs(out.marks) do
    local line = out.lines[mark.row + 1]
    if line:find('^%[') then heads[#heads + 1] = { line:sub(mark.from + 1, mark.to), mark.group } end
  end
  eq(heads, {
    { '[+] a   allowed', 'McpReady' },
    { '[-] b   denied', 'McpFailed' },
    { '[ ] c   not decided', 'McpWaiting' },
    { '[ ] d   not decided', 'McpWaiting' },
  })
end

T['every line of a server is about it, and no other line is'] = function()
  local out = render(
    { server({ name = 'a', command = ('x'):rep(200) }), server({ name = 'b', url = 'u' }) },
    {}
  )
  local owner
  for number, line in ipairs(out.lines) do
    owner = line == '' and 'none' or owner
    if line:find('^%[') then owner = line:match('%] (%w)') end
    eq({ number, out.servers[number] }, { number, ({ a = 1, b = 2 })[owner] })
  end
  eq(vim.tbl_count(out.servers), 5 + 3)
end

T['a text is broken, and nothing of it is lost'] = MiniTest.new_set({
  parametrize = {
    { 'short', 10, { 'short' } },
    { '', 10, { '' } },
    { 'one two three', 8, { 'one two ', 'three' } },
    { 'abcdefghijkl', 5, { 'abcde', 'fghij', 'kl' } },
    { 'a bcdefghijk', 6, { 'a bcde', 'fghijk' } }, -- a blank far from the end is no place to break
    { 'a' .. (' '):rep(9) .. 'b', 5, { 'a    ', '     ', 'b' } },
    { '日本語です', 4, { '日本', '語で', 'す' } },
    { '日本', 1, { '日', '本' } },
  },
})
T['a text is broken, and nothing of it is lost']['at'] = function(text, width, wanted)
  local lines = lines_of.wrapped(text, width)
  eq(lines, wanted)
  eq(table.concat(lines), text)
end

T['at every width no line is too long, and all of a command is there'] = function()
  local args = {}
  for i = 1, 40 do
    args[i] = ('--option-%d=%s'):format(i, i % 3 == 0 and 'wert über 日本' or ('y'):rep(i))
  end
  local given =
    { name = ('名'):rep(40), command = '/usr/bin/thing', args = args, env = { LONG = ('z'):rep(300) } }
  local command = lines_of.command_of(server(given))
  for width = 30, 130, 7 do
    local out, shown = render({ server(given) }, {}, { width = width, keys = true }), {}
    for number, line in ipairs(out.lines) do
      local cells = vim.fn.strdisplaywidth(line)
      eq({ width, line, cells <= width }, { width, line, true })
      if out.servers[number] then shown[#shown + 1] = line end
    end
    local text = table.concat(shown):gsub(' ', '')
    eq({ width, text:find(command:gsub(' ', ''), 1, true) ~= nil }, { width, true })
  end
end

T['in few columns texts still have room'] = function()
  local out = render({ server({ command = 'abcdefghijklmnop' }) }, {}, { width = 10 })
  eq(vim.list_slice(out.lines, #out.lines - 5), {
    'not decide',
    'd',
    '  runs  abcdefgh',
    '        ijklmnop',
    '  file  /p/.mcp.',
    '        json',
  })
end

T['the keys stand below where they are wanted'] = function()
  local keys = 'a allow   d deny   l later   A/D all   o show file   <CR> done   q close'
  eq(vim.list_slice(about({ command = 'x' }, { keys = true }), 4), { '', keys })
  eq(#about({ command = 'x' }, { keys = false }), 3)
  eq({ lines_of.help_line(#keys), lines_of.help_line(#keys - 1) }, { keys, 'a d l A/D o <CR> q' })
end

T['many servers and long texts take no time to speak of'] = function()
  local servers = {}
  for i = 1, 200 do
    servers[i] = server({ name = 's' .. i, command = 'x', args = { ('a b'):rep(100) } })
  end
  servers[201] = server({ name = 'long', command = 'x', args = { ('é'):rep(20000) } })
  local out = render(servers)
  eq(out.servers[#out.lines], 201)
  eq(out.lines[1], 'Files of ~/p name these 201 servers.')
end

return T
