-- The dialog about a project's servers: its keys, its window, and the ways in which it can end.
local eq = MiniTest.expect.equality

local child, hooks = require('fresh').neovim({
  lines = 30,
  columns = 100,
  begin = [[
    dialog = require('mcp_sidecar.ui.trust_dialog')
    function server(name, more)
      local one = { name = name, path = '/p/.mcp.json', project = '/p', command = 'run-' .. name, uses = {} }
      return vim.tbl_extend('force', one, more or {})
    end
    ends = {}
    function open(servers)
      shown = dialog.open(servers, function(chosen, file)
        ends[#ends + 1] = { chosen = chosen, file = file and file.name }
      end)
      return vim.api.nvim_get_current_win()
    end
    function ended() return vim.wait(5000, function() return #ends > 0 end, 5) end
    function floats()
      return vim.tbl_filter(function(win) return vim.api.nvim_win_get_config(win).relative ~= '' end,
        vim.api.nvim_list_wins())
    end
    function text() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
    function line() return vim.api.nvim_get_current_line() end
    function heads() return vim.tbl_filter(function(text) return text:find('^%[') end, text()) end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

local function open() child.lua([[open({ server('a'), server('b', { decision = 'deny' }), server('c') })]]) end

T['it takes the focus, with the cursor on the first server'] = function()
  open()
  eq(child.lua_get('line()'), '[ ] a   not decided')
  eq(child.lua_get('heads()'), { '[ ] a   not decided', '[-] b   denied', '[ ] c   not decided' })
  eq({ child.bo.filetype, child.bo.modifiable, child.fn.mode() }, { 'mcptrust', false, 'n' })
end

T['keys choose, and <CR> gives what was chosen'] = MiniTest.new_set({
  parametrize = {
    { 'a<CR>', { 'allow', 'deny', 'later' } },
    { '<CR>', { 'later', 'deny', 'later' } },
    { 'd<CR>', { 'deny', 'deny', 'later' } },
    { 'al<CR>', { 'later', 'deny', 'later' } },
    { 'A<CR>', { 'allow', 'allow', 'allow' } },
    { 'D<CR>', { 'deny', 'deny', 'deny' } },
    { 'A/\\] b<CR>l<CR>', { 'allow', 'later', 'allow' } },
    { 'jjja<CR>', { 'later', 'deny', 'later' } }, -- on the line between two
    { 'jjj<Down>a<CR>', { 'later', 'allow', 'later' } },
    { 'ja<CR>', { 'allow', 'deny', 'later' } }, -- on a detail
    { 'gga<CR>', { 'later', 'deny', 'later' } }, -- on the introduction
    { 'Ga<CR>', { 'later', 'deny', 'allow' } },
  },
})
T['keys choose, and <CR> gives what was chosen']['for'] = function(keys, wanted)
  open()
  child.type_keys(keys)
  eq(child.lua_get('ends'), { { chosen = wanted } })
  eq(child.lua_get('#floats()'), 0)
end

T['what is chosen is shown, and the cursor stays'] = function()
  open()
  child.type_keys('G', 'a')
  eq(child.lua_get('heads()[3]'), '[+] c   allowed')
  eq(child.lua_get('line()'), '      file  /p/.mcp.json')
  child.type_keys('l')
  eq(child.lua_get('heads()[3]'), '[ ] c   not decided')
  eq(child.lua_get('ends'), {})
end

T['a choice has its colour'] = function()
  open()
  child.type_keys('a')
  child.lua([[function groups()
    local marks = vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })
    return vim.iter(marks):map(function(mark)
      local line = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, true)[1]
      return line:find('^%[') and { line:sub(mark[3] + 1, mark[4].end_col), mark[4].hl_group } or nil
    end):totable()
  end]])
  eq(child.lua_get('groups()'), {
    { '[+] a   allowed', 'McpReady' },
    { '[-] b   denied', 'McpFailed' },
    { '[ ] c   not decided', 'McpWaiting' },
  })
end

T['it is closed, and nothing is chosen'] = MiniTest.new_set({
  parametrize = {
    { [[child.type_keys('A', 'q')]] },
    { [[child.type_keys('A', '<Esc>')]] },
    { [[child.type_keys('A', ':q<CR>')]] },
    { [[child.type_keys('A') child.cmd('wincmd p | only')]] },
    { [[child.type_keys('A') child.cmd('bwipeout')]] },
    { [[child.type_keys('A') child.cmd('wincmd p | %bwipeout!')]] },
    { [[child.cmd('wincmd p | tabnew | tabonly')]] },
    { [[child.lua('shown:close()')]] },
    { [[child.lua('shown:close() shown:close()')]] },
    { [[child.cmd('close')]] },
  },
})
T['it is closed, and nothing is chosen']['by'] = function(how)
  open()
  assert(loadstring('local child = ... ' .. how))(child)
  eq(child.lua_get('ended()'), true)
  eq(child.lua_get('{ #ends, ends[1], #floats() }'), { 1, {}, 0 })
  eq(child.lua_get([[#vim.api.nvim_get_autocmds({ event = 'VimResized' })]]), 0)
end

T['a window command of the user keeps nothing open'] = MiniTest.new_set({
  parametrize = {
    { '<C-w>KA<CR>', { 'allow', 'allow', 'allow' } },
    { '<C-w>K<C-w>oA<CR>', { 'allow', 'allow', 'allow' } }, -- the last window
    { '<C-w>K<C-w>oq' },
    { ':split<CR>A<CR>', { 'allow', 'allow', 'allow' } },
    { ':split<CR><C-w>p:quit<CR>' },
    { '<C-w>T' },
  },
})
T['a window command of the user keeps nothing open']['such as'] = function(keys, chosen)
  child.lua([[
    open({ server('a'), server('b'), server('c') })
    function left()
      return vim.iter(vim.api.nvim_list_bufs()):any(function(buffer) return vim.bo[buffer].filetype == 'mcptrust' end)
    end
  ]])
  child.type_keys(keys)
  eq(child.lua('return vim.wait(5000, function() return not left() end, 5)'), true)
  eq(child.lua_get('ends'), { { chosen = chosen } })
  child.o.columns = 70
  eq(child.v.errmsg, '')
end

T['it can be closed while the user is in the command-line window'] = function()
  open()
  child.type_keys(':', '<C-f>')
  child.lua('shown:close()')
  eq(child.lua_get('#ends'), 1)
  child.type_keys(':q<CR>')
  eq(child.lua_get('vim.wait(5000, function() return #floats() == 0 end, 5)'), true)
  eq(child.lua_get('#ends'), 1)
end

T['no other buffer comes into its window'] = function()
  open()
  eq(pcall(child.cmd, 'edit other'), false)
  eq({ child.lua_get('#ends'), child.bo.filetype }, { 0, 'mcptrust' })
end

T['keys that change a text change nothing'] = function()
  open()
  local before = child.lua_get('text()')
  for _, keys in ipairs({ 'x', 'i', 'p', 's', 'J', 'cc', 'u' }) do
    pcall(child.type_keys, keys)
    pcall(child.type_keys, '<C-\\><C-n>')
  end
  eq(child.lua_get('{ text(), ends }'), { before, {} })
end

T['o closes it, and names the server under the cursor'] = function()
  open()
  child.type_keys('G', 'o')
  open()
  child.type_keys('gg', 'o')
  eq(child.lua_get('ends'), { { file = 'c' }, { file = 'a' } })
end

T['one that is left stays, and can be focused from anywhere'] = function()
  open()
  child.cmd('wincmd p | tabnew')
  eq(child.lua_get('#ends'), 0)
  child.lua('shown:focus()')
  eq(child.bo.filetype, 'mcptrust')
  child.type_keys('q')
  child.lua('shown:focus()') -- it is gone, and that is no error
  eq(child.lua_get('#ends'), 1)
end

T['two are independent of each other'] = function()
  open()
  child.lua([[first = shown open({ server('other') })]])
  child.type_keys('a<CR>')
  child.lua([[first:focus()]])
  child.type_keys('q')
  eq(child.lua_get('ends'), { { chosen = { 'allow' } }, {} })
end

T['it follows the size of the editor, and the cursor stays on its server'] = function()
  child.lua([[open({ server('a', { args = { ('long '):rep(60) } }), server('b') })]])
  child.type_keys('G')
  for _, size in ipairs({ { 40, 12 }, { 200, 60 }, { 12, 4 }, { 100, 30 } }) do
    child.o.columns, child.o.lines = size[1], size[2]
    local config = child.lua_get([[vim.api.nvim_win_get_config(0)]])
    local fits = config.width + 2 <= child.o.columns and config.height + 2 <= child.o.lines
    eq({ size, fits }, { size, true })
    child.type_keys('a')
    eq(child.lua_get('heads()[#heads()]:sub(1, 5)'), '[+] b')
    child.type_keys('l')
  end
  child.cmd('redraw')
  eq({ child.fn.line('w0'), child.fn.line('w$') }, { 1, child.fn.line('$') })
  eq(child.lua_get('#ends'), 0)
end

T['the smallest screens have room for it'] = function()
  child.o.columns, child.o.lines = 12, 3
  open()
  child.type_keys('A<CR>')
  eq(child.lua_get('ends[1].chosen'), { 'allow', 'allow', 'allow' })
end

T['a command that is longer than the screen can be read to its end'] = function()
  child.lua([[open({ server('a', { args = { ('x'):rep(5000), 'END' } }) })]])
  child.type_keys('G')
  child.lua([[function seen(what)
    vim.cmd.redraw()
    for row = 1, vim.o.lines do
      local cells = {}
      for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
      if table.concat(cells):find(what, 1, true) then return true end
    end
    return false
  end]])
  eq(child.lua_get([[seen('END')]]), true)
  eq(child.lua_get([[seen('<CR> done')]]), true) -- the keys stay in sight
  eq(child.lua_get([[seen('run-a')]]), false)
  child.type_keys('gg')
  eq(child.lua_get([[seen('run-a')]]), true)
end

T['without a frame the keys stand in the text'] = function()
  child.lua([[require('mcp_sidecar').setup({ ui = { border = 'none' } })]])
  open()
  eq(child.lua_get('text()[#text()]'):match('<CR> done'), '<CR> done')
end

T['it has the look of the other windows'] = function()
  open()
  eq({ child.wo.cursorline, child.wo.wrap, child.wo.number }, { true, true, false })
  eq(child.lua_get([[vim.fn.hlexists('McpReady')]]), 1)
  eq(child.wo.winhighlight:find('NormalFloat:McpNormal', 1, true), 1)
end

return T
