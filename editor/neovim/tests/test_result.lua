local eq = MiniTest.expect.equality
local child = MiniTest.new_child_neovim()

local cache

local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      cache = vim.fn.tempname()
      child.restart({ '-u', 'tests/minit.lua' })
      child.o.columns, child.o.lines = 100, 30
      child.env.XDG_CACHE_HOME = cache
      child.lua([[
        user = require('user')
        user.plays({})
        opened, again, edited = {}, {}, {}
        vim.ui.open = function(what) table.insert(opened, what) return {}, nil end
        -- Shows a result; more goes into the request.
        function show(result, more)
          local request = {
            label = 'fs/read',
            outcome = user.outcome(result),
            again = function(window) table.insert(again, window) end,
            edit = function(window) table.insert(edited, window) end,
          }
          buffer, window = require('mcp_sidecar.ui.result').open(vim.tbl_extend('force', request, more or {}))
        end
        function lines() return vim.api.nvim_buf_get_lines(buffer, 0, -1, false) end
      ]])
    end,
    post_case = function() vim.fn.delete(cache, 'rf') end,
    post_once = child.stop,
  },
})

local PNG = '\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\2\128\0\0\1\224\8\6\0\0\0'

local function show_picture()
  child.lua(
    'show({ content = { { type = "image", mimeType = "image/png", data = ... } } })',
    { vim.base64.encode(PNG) }
  )
end

local function files() return vim.fn.glob(cache .. '/*/mcp-sidecar/results/*', true, true) end

T['a result is a buffer that is read only and gone when closed'] = function()
  child.lua([[show('{"a":1}')]])
  local is = child.lua_get(
    [[{ vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable, vim.bo.modified, vim.bo.filetype, vim.bo.swapfile }]]
  )
  eq(is, { 'nofile', 'wipe', false, false, 'json', false })
  eq(child.api.nvim_buf_get_name(0), 'mcp://fs/read/1')
  eq(child.lua_get('lines()'), { '{', '  "a": 1', '}' })
  child.type_keys('q')
  eq(child.lua_get('vim.api.nvim_buf_is_valid(buffer)'), false)
  eq(#child.api.nvim_list_wins(), 1)
end

T['the header tells tool, time and keys, and stays in this window'] = function()
  child.lua([[show({ isError = true, content = {} }, { label = 'fs/100%x' })]])
  local shown = child.lua_get(
    'vim.api.nvim_eval_statusline(vim.wo[window].winbar, { use_winbar = true, winid = window }).str'
  )
  eq(shown:match('^ fs/100%%x  12 ms  error +r again  E edit  Y copy  q close  g%? keys $') ~= nil, true)
  child.cmd('enew')
  eq(child.wo.winbar, '')
end

T['in the last window as well, q leaves the buffer'] = function()
  child.lua([[show('x') vim.cmd.only()]])
  child.type_keys('q')
  eq(child.lua_get('vim.api.nvim_buf_is_valid(buffer)'), false)
end

T['r and E go on from the window'] = function()
  child.lua([[show('x')]])
  child.type_keys('r', 'E')
  eq(child.lua_get('{ again[1] == window, edited[1] == window }'), { true, true })
end

T['a new result takes the place of the former'] = function()
  child.lua(
    [[show('one') first, former = window, buffer vim.cmd.wincmd('p') show('two', { window = first })]]
  )
  eq(child.lua_get('{ window == first, vim.api.nvim_get_current_win() == first }'), { true, true })
  eq(child.lua_get('{ lines()[1], vim.api.nvim_buf_is_valid(former) }'), { 'two', false })
  -- Not of something else that is there now.
  child.lua([[vim.cmd.enew() show('three', { window = first })]])
  eq(child.lua_get('window == first'), false)
end

T['a window that is kept for its result keeps it, and the new one is shown beside it'] = function()
  child.lua([[show('one') first = window vim.wo.winfixbuf = true show('two', { window = first })]])
  eq(child.lua_get('{ window == first, #vim.api.nvim_list_wins(), lines()[1] }'), { false, 3, 'two' })
end

T['one that is not to be entered is not'] = function()
  child.lua([[before = vim.api.nvim_get_current_win() show('x', { enter = false })]])
  eq(child.lua_get('vim.api.nvim_get_current_win() == before'), true)
end

T['it opens beside a floating window'] = function()
  child.lua([[
    local float = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_open_win(float, true, { relative = 'editor', row = 1, col = 1, width = 10, height = 5 })
    show('x')
  ]])
  eq(
    child.lua_get('{ vim.api.nvim_win_get_config(window).relative, vim.api.nvim_win_get_width(window) }'),
    { '', 100 }
  )
end

T['where there is no room, it opens in a tab page'] = function()
  child.o.lines = 10
  child.lua([[for _ = 1, 3 do vim.cmd.split() end]])
  child.lua([[before = vim.api.nvim_get_current_win() show('x')]])
  eq(child.lua_get('{ #vim.api.nvim_list_tabpages(), lines()[1] }'), { 2, 'x' })
  child.lua([[vim.cmd.tabfirst() show('y', { enter = false })]])
  eq(
    child.lua_get('{ #vim.api.nvim_list_tabpages(), vim.api.nvim_get_current_win() == before }'),
    { 3, true }
  )
end

T['Y copies what the server said, into the register that is named'] = function()
  child.lua([[
    local one, two = { type = 'text', text = 'one\ntwo\0' }, { type = 'text', text = 'three' }
    show({ isError = true, content = { one, two } })
  ]])
  child.type_keys('Y')
  eq(child.fn.getreg('"', 1, true), { 'one', 'two\n', 'three' })
  child.type_keys('"aY')
  eq(child.fn.getreg('a', 1, true), { 'one', 'two\n', 'three' })
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: 3 lines copied', 'mcp-sidecar: 3 lines copied into "a' })
end

T['a picture is a file of the user’s own, byte for byte, until the editor ends'] = function()
  show_picture()
  local paths = files()
  eq(#paths, 1)
  local file = assert(io.open(paths[1], 'rb'))
  eq(file:read('*a'), PNG)
  file:close()
  eq(vim.fn.getfperm(paths[1]), 'rw-------')
  eq(vim.fn.getfperm(vim.fs.dirname(paths[1])), 'rwx------')
  eq(paths[1]:match('%-1%.png$'), '-1.png')
  eq(child.lua_get('lines()'), { ('image  image/png  640x480  %d B  %s'):format(#PNG, paths[1]) })
  child.type_keys('gx', '<CR>')
  eq(child.lua_get('opened'), { paths[1], paths[1] })
  child.cmd('bwipeout')
  eq(#files(), 1)
  child.stop()
  eq(files(), {})
end

T['files of an editor that was killed are taken away when they are old'] = function()
  local results = cache .. '/nvim/mcp-sidecar/results'
  vim.fn.mkdir(results, 'p')
  vim.fn.writefile({}, results .. '/1-1.png')
  vim.fn.writefile({}, results .. '/2-1.png')
  vim.uv.fs_utime(results .. '/1-1.png', 1, 1)
  show_picture()
  local names = vim.tbl_map(vim.fs.basename, files())
  eq({ vim.list_contains(names, '1-1.png'), vim.list_contains(names, '2-1.png'), #names }, { false, true, 2 })
end

T['what cannot be saved says so'] = function()
  vim.fn.writefile({}, cache)
  show_picture()
  eq(child.lua_get('lines()[1]'):match('it could not be saved: ') ~= nil, true)
  child.type_keys('s')
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: there is no file in this line' })
end

T['s saves elsewhere, and asks before it replaces'] = function()
  show_picture()
  local path = cache .. '/copy.png'
  child.lua('user.plays({ ... })', { path })
  child.type_keys('s')
  eq(child.lua_get('user.asked[1].completion'), 'file')
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: saved as ' .. path })
  eq(vim.fn.getfsize(path), #PNG)
  vim.fn.writefile({}, path)
  child.lua('user.plays({ ..., "Leave" })', { path })
  child.type_keys('s')
  eq(vim.fn.getfsize(path), 0)
  child.lua('user.plays({ ..., "Replace" })', { path })
  child.type_keys('s')
  eq(vim.fn.getfsize(path), #PNG)
  child.lua('user.plays({ ... })', { cache })
  child.type_keys('s')
  eq(vim.fn.getfsize(cache .. '/' .. vim.fs.basename(files()[1])), #PNG)
  child.lua('user.plays({ ... })', { cache .. '/no/where.png' })
  child.type_keys('s')
  eq(child.lua_get('user.words()[1]'):match('ENOENT') ~= nil, true)
end

T['links open, and what is no URI does not'] = function()
  child.lua([[show({ content = {
    { type = 'resource_link', name = 'a', uri = 'https://x.y/z' },
    { type = 'resource_link', name = 'b', uri = '--flag' },
    { type = 'text', text = 'see https://in.text/ here' },
  } })]])
  child.type_keys('2G', '<CR>', '3G', '<CR>', '5G', 'fh', 'gx')
  eq(child.lua_get('opened'), { 'https://x.y/z', 'https://in.text/' })
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: this is no URI: --flag' })
end

T['a text that lies in a file opens in Neovim, and outside of it'] = function()
  local path = vim.fn.tempname() .. ' 1.txt'
  vim.fn.writefile({ 'in the file' }, path)
  local uri = vim.uri_from_fname(path)
  child.lua([[show({ content = { { type = 'resource_link', name = 'a', uri = ... } } })]], { uri })
  child.type_keys('gx', '<CR>')
  eq(child.lua_get('opened'), { uri })
  eq(child.api.nvim_buf_get_lines(0, 0, -1, false), { 'in the file' })
  child.cmd('quit')
  vim.fn.delete(path)
  child.type_keys('<CR>')
  eq(child.lua_get('opened'), { uri, uri })
end

T['where there is no text, none is copied'] = function()
  child.fn.setreg('"', 'before')
  show_picture()
  child.type_keys('Y')
  eq(child.fn.getreg('"'), 'before')
  eq(child.lua_get('user.words()'), { 'mcp-sidecar: there is no text to copy' })
end

T['a plugin for the filetype takes no key away'] = function()
  child.cmd('autocmd FileType json nnoremap <buffer> q x')
  child.lua([[show('[1]')]])
  child.type_keys('q')
  eq(child.lua_get('vim.api.nvim_buf_is_valid(buffer)'), false)
end

T['<CR> elsewhere moves on'] = function()
  child.lua([[show('a\nb')]])
  child.type_keys('<CR>')
  eq(child.api.nvim_win_get_cursor(0)[1], 2)
end

T['g? shows the keys'] = function()
  child.lua([[show('x')]])
  child.type_keys('g?')
  eq(child.lua_get('vim.api.nvim_win_get_config(0).relative ~= ""'), true)
  eq(vim.trim(child.api.nvim_buf_get_lines(0, 0, 1, false)[1]), 'r     call again with the same arguments')
  child.type_keys('q')
  eq(child.lua_get('vim.api.nvim_get_current_win() == window'), true)
end

T['ten million bytes are shown without syntax'] = function()
  child.lua([[show(('0123456789abcdef\n'):rep(600000))]])
  eq(child.lua_get('{ #lines(), vim.bo.filetype, vim.wo.wrap }'), { 600000, '', false })
  child.lua([[show('[' .. ('"0123456789abcdef",'):rep(200000) .. '1]')]])
  eq(child.lua_get('{ #lines(), vim.bo.filetype }'), { 200003, '' })
  -- JSON without end is not laid out.
  child.lua([[show('[' .. ('"0123456789abcdef",'):rep(500000) .. '1]')]])
  eq(child.lua_get('#lines()'), 1)
end

T['odd bytes are shown'] = function()
  child.lua([[show({ content = { { type = 'text', text = 'a\0b\27c\255\r' } } })]])
  eq(child.lua_get('#lines()'), 1)
  eq(child.get_screenshot().text[16] ~= nil, true)
end

return T
