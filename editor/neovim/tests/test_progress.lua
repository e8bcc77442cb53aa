local progress = require('mcp_sidecar.ui.progress')

local Clock = require('clock')
local eq = MiniTest.expect.equality
local child = MiniTest.new_child_neovim()

---How long a call runs until it is shown, and how often what is shown is drawn.
local APPEAR_MS, TICK_MS = 150, 100

local clock ---@type mcp_sidecar.test.Clock
local T = MiniTest.new_set()

T['what a server tells of its progress'] = MiniTest.new_set({
  parametrize = {
    { { progress = 3, total = 10, message = 'reading' }, '3/10 reading' },
    { { progress = 3, total = 10 }, '3/10' },
    { { progress = 0.5, total = 1 }, '0.5/1' },
    { { progress = 7 }, '7' },
    { { progress = 0, message = 'begins' }, 'begins' },
    { { progress = 1e300, total = vim.NIL }, '1e+300' },
    { { progress = 1, message = 'two\nlines\27[0m' }, '1 two\\nlines' },
    { { progress = 'x', total = {}, message = 5 }, '' },
    { {}, '' },
    { 5, '' },
  },
})

T['what a server tells of its progress']['test'] = function(value, wanted) eq(progress.told(value), wanted) end

T['a line fits its width'] = function()
  local function line(call, width)
    local pieces = progress.line(
      vim.tbl_extend('keep', call, { frame = '⠋', seconds = 12, told = '', cancelling = false }),
      width
    )
    return table.concat(vim.tbl_map(function(piece) return piece[1] end, pieces))
  end
  eq(line({ label = 'fs/read' }, 80), ' ⠋ fs/read 12 s ')
  eq(
    line({ label = 'fs/read', told = '3/10 x', key = '<C-c>' }, 80),
    ' ⠋ fs/read 12 s  3/10 x  <C-c> cancels '
  )
  eq(
    line({ label = 'fs/read', told = '3/10', cancelling = true }, 80),
    ' ⠋ fs/read 12 s  3/10  cancelling '
  )
  local long = line({ label = 'fs/read', told = ('long '):rep(40), key = '<C-c>' }, 60)
  eq(vim.fn.strdisplaywidth(long) <= 60, true)
  eq(long:find('…  <C%-c> cancels $') ~= nil, true)
end

T['window'] = MiniTest.new_set({
  hooks = {
    pre_case = function()
      child.restart({ '-u', 'tests/minit.lua' })
      clock = Clock.install_in(child)
      child.o.columns, child.o.lines = 80, 20
      child.lua([[
        progress = require('mcp_sidecar.ui.progress')
        cancelled = {}
        -- The window of the calls that run, if it is open.
        function float()
          for _, window in ipairs(vim.api.nvim_list_wins()) do
            if vim.api.nvim_win_get_config(window).relative ~= '' then return window end
          end
        end
        function buffer() return vim.api.nvim_win_get_buf(float()) end
        function lines() return float() and vim.api.nvim_buf_get_lines(buffer(), 0, -1, false) end
        -- Begins a call that ends when it is cancelled, as calls do, in a later turn of the loop.
        function begin(label, note)
          local call
          call = progress.begin({ label = label, note = note, cancel = function()
            table.insert(cancelled, label)
            vim.schedule(function() call:finish() end)
          end })
          return call
        end
        function here() return vim.list_contains(vim.api.nvim_tabpage_list_wins(0), float()) end
        function hangs(label) progress.begin({ label = label, cancel = function() end }) end
      ]])
    end,
    post_once = child.stop,
  },
})

T['window']['comes after a while, is not entered, and goes with the last call'] = function()
  child.lua('one = begin("fs/read")')
  clock:advance(APPEAR_MS - 1)
  eq(child.lua_get('float()'), vim.NIL)
  clock:advance(1)
  eq(child.lua_get('float() ~= nil'), true)
  eq(child.lua_get('vim.api.nvim_win_get_config(vim.api.nvim_get_current_win()).relative'), '')
  local config = child.lua_get('vim.api.nvim_win_get_config(float())')
  eq({ config.focusable, config.anchor, config.row, config.col }, { false, 'NE', 0, 80 })
  clock:advance(2000)
  child.lua('two = begin("web/get")')
  clock:advance(APPEAR_MS - 1)
  eq(child.lua_get('#lines()'), 1)
  clock:advance(TICK_MS)
  local lines = child.lua_get('lines()')
  eq({ #lines, lines[1]:match('^ %S+ fs/read (%d+) s $') }, { 2, '2' })
  eq(lines[2]:match('^ %S+ web/get 0 s(.*)$'), '  <C-c> cancels ')
  child.lua('one:finish() one:finish()')
  eq(child.lua_get('#lines()'), 1)
  child.lua('two:finish()')
  eq(child.lua_get('{ float() or false, progress.running(), #vim.api.nvim_list_bufs() }'), { false, 0, 1 })
end

T['window']['a call that ends soon shows nothing'] = function()
  child.lua('one = begin("fs/read")')
  clock:advance(APPEAR_MS - 1)
  child.lua('one:finish()')
  clock:advance(1)
  eq(child.lua_get('float()'), vim.NIL)
  child.lua('begin("web/get")')
  clock:advance(APPEAR_MS)
  eq(child.lua_get('#lines()'), 1)
  eq(child.lua_get('lines()[1]'):match('web/get'), 'web/get')
end

T['window']['progress takes the place of what is waited for'] = function()
  child.lua('note = "waiting for fs: npm install" one = begin("fs/read", function() return note end)')
  clock:advance(APPEAR_MS)
  eq(child.lua_get('lines()[1]'):match('s  (.-)  <C'), 'waiting for fs: npm install')
  child.lua('one:update({ progress = 3, total = 10, message = "files" })')
  clock:advance(TICK_MS)
  eq(child.lua_get('lines()[1]'):match('s  (.-)  <C'), '3/10 files')
end

T['window']['is below the tab line, and follows to other tab pages and sizes'] = function()
  child.lua('one = begin("fs/read")')
  clock:advance(APPEAR_MS)
  child.cmd('tabnew')
  clock:advance(TICK_MS)
  eq(child.lua_get('here()'), true)
  eq(child.lua_get('vim.api.nvim_win_get_config(float()).row'), 1)
  child.o.columns = 60
  clock:advance(TICK_MS)
  eq(child.lua_get('vim.api.nvim_win_get_config(float()).col'), 60)
end

T['window']['survives the command-line window'] = function()
  child.lua('one = begin("fs/read")')
  child.type_keys('q:')
  eq(child.lua_get('vim.fn.getcmdwintype()'), ':')
  clock:advance(APPEAR_MS)
  eq(child.lua_get('float() ~= nil'), true)
  child.lua('one:finish()')
  eq(child.lua_get('progress.running()'), 0)
  child.type_keys(':q<CR>')
  clock:advance(0)
  eq(child.lua_get('float()'), vim.NIL)
  child.lua('two = begin("fs/read")')
  clock:advance(APPEAR_MS)
  eq(child.lua_get('float() ~= nil'), true)
end

T['window']['survives that its window or buffer is closed'] = function()
  child.lua('one = begin("fs/read")')
  clock:advance(APPEAR_MS)
  for _, close in ipairs({ 'nvim_buf_delete(buffer(), { force = true })', 'nvim_win_close(float(), true)' }) do
    child.lua('vim.api.' .. close)
    eq(child.lua_get('float()'), vim.NIL)
    clock:advance(TICK_MS)
    eq(child.lua_get('float() ~= nil'), true)
  end
  child.lua('one:finish()')
  eq(child.lua_get('float() or false'), false)
  eq(child.cmd_capture('messages'), '')
end

T['window']['the key cancels the newest call first'] = function()
  child.lua('begin("a") begin("b") begin("c")')
  child.type_keys('<C-c>', '<C-c>')
  eq(child.lua_get('cancelled'), { 'c', 'b' })
  clock:advance(0)
  eq(child.lua_get('progress.running()'), 1)
  child.type_keys('<C-c>')
  clock:advance(0)
  eq(child.lua_get('progress.running()'), 0)
  eq(child.fn.maparg('<C-c>', 'n'), '')
end

T['window']['what is being cancelled says so, and the key goes to the next'] = function()
  child.lua('begin("a") hangs("b")')
  clock:advance(APPEAR_MS)
  child.lua('progress.cancel_newest()')
  clock:advance(TICK_MS)
  local lines = child.lua_get('lines()')
  eq({ lines[1]:match('<C%-c> cancels'), lines[2]:match('s  (.-) $') }, { '<C-c> cancels', 'cancelling' })
end

T['window']['without a key nothing is mapped'] = function()
  child.lua('require("mcp_sidecar.config").setup({ ui = { cancel_key = "" } }) one = begin("a")')
  clock:advance(APPEAR_MS)
  eq(child.fn.maparg('<C-c>', 'n'), '')
  eq(child.lua_get('lines()[1]'):match(' %d+ s $') ~= nil, true)
  child.lua('one:finish()')
end

-- The mappings of the key as they are: global, and of the two buffers.
local MAPPINGS = [[
  (function()
    local found = {}
    for _, mode in ipairs({ 'n', 'x', 'o', 'i' }) do
      for _, buffer in ipairs({ first, second, third }) do
        vim.api.nvim_buf_call(buffer, function()
          table.insert(found, vim.inspect(vim.fn.maparg('<C-c>', mode, false, true)))
        end)
      end
    end
    return found
  end)()
]]

T['window']['the key is given back exactly as it was'] = MiniTest.new_set({
  parametrize = {
    { '' },
    { 'nnoremap <silent> <C-c> :let g:pressed = 1<CR>' },
    { 'noremap <C-c> x' },
    { 'nmap <expr> <nowait> <C-c> "x"' },
    { 'lua vim.keymap.set("n", "<C-c>", function() vim.g.pressed = 1 end, { desc = "mine" })' },
    { 'lua vim.keymap.set({ "n", "x", "i" }, "<C-c>", "x", { buffer = first, desc = "mine" })' },
    { 'lua vim.keymap.set("n", "<C-c>", function() vim.g.pressed = 1 end, { buffer = second })' },
    {
      'nnoremap <C-c> a | nnoremap <buffer> <C-c> b | exe "buffer" luaeval("second") | nnoremap <buffer> <C-c> c',
    },
  },
})

T['window']['the key is given back exactly as it was']['test'] = function(command)
  child.lua('first = vim.api.nvim_get_current_buf() second = vim.api.nvim_create_buf(true, false)')
  child.lua('third = vim.api.nvim_create_buf(true, false)')
  child.cmd(command)
  local before = child.lua_get(MAPPINGS)
  child.lua('begin("a") begin("b")')
  child.type_keys('<C-c>')
  child.lua('vim.api.nvim_set_current_buf(second)')
  child.type_keys('<C-c>')
  eq(child.lua_get('cancelled'), { 'b', 'a' })
  clock:advance(0)
  eq(child.lua_get('progress.running()'), 0)
  eq(child.lua_get(MAPPINGS), before)
  eq(child.lua_get('vim.g.pressed or false'), false)
  if not command:find('vim.g.pressed', 1, true) then return end
  child.type_keys('<C-c>')
  eq(child.g.pressed, 1)
end

T['window']['a mapping that was made meanwhile stays'] = function()
  child.lua('one = begin("a")')
  child.cmd('nnoremap <C-c> y')
  child.lua('one:finish()')
  eq(child.fn.maparg('<C-c>', 'n'), 'y')
end

return T
