-- Which project a buffer belongs to.
local config = require('mcp_sidecar.config')
local sessions = require('mcp_sidecar.sessions')
local eq = MiniTest.expect.equality

local dir, before
local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      before = vim.uv.cwd()
      dir = assert(vim.uv.fs_realpath(assert(vim.uv.fs_mkdtemp(vim.uv.os_tmpdir() .. '/roots-XXXXXX'))))
    end,
    post_case = function()
      vim.cmd.cd(before)
      vim.cmd('silent! %bwipeout!')
      vim.fn.delete(dir, 'rf')
      config.setup(nil)
    end,
  },
})

local function make(path)
  path = vim.fs.joinpath(dir, path)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  vim.fn.writefile({}, path)
  return path
end

---buffer is one with this name.
local function buffer(name)
  local own = vim.api.nvim_create_buf(true, false)
  vim.api.nvim_buf_set_name(own, name)
  return own
end

---root_of is relative to the directory of the test.
local function root_of(own)
  local root = sessions.root_of(own)
  return vim.startswith(root, dir) and root:sub(#dir + 2) or root
end

T['the nearest directory with a marker'] = function()
  make('a/.git/HEAD')
  make('a/sub/.mcp.json')
  make('b/file')
  vim.cmd.cd(dir)
  eq(root_of(buffer(make('a/file'))), 'a')
  eq(root_of(buffer(make('a/lib/deep/file'))), 'a')
  -- The nearest, whichever marker it is.
  eq(root_of(buffer(make('a/sub/deep/file'))), 'a/sub')
  eq(root_of(buffer(dir .. '/a/sub/not/there/yet')), 'a/sub')
  eq(root_of(buffer(dir .. '/b/file')), '')
end

T['what is no file belongs to the current directory'] = function()
  make('a/.git/HEAD')
  make('b/.git/HEAD')
  vim.cmd.cd(dir .. '/b')
  local scratch = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(scratch, dir .. '/a/scratch')
  eq(root_of(scratch), 'b')
  eq(root_of(buffer('')), 'b')
  for _, name in ipairs({ 'oil://' .. dir .. '/a/', 'fugitive://' .. dir .. '/a/.git//0/x', 'http://x/y' }) do
    eq(root_of(buffer(name)), 'b')
  end
end

T["the user's own function comes first"] = function()
  make('a/.git/HEAD')
  local own = buffer(make('a/sub/file'))
  local asked
  config.setup({
    root = function(number)
      asked = number
      return dir .. '/a/sub/'
    end,
  })
  eq({ root_of(own), asked }, { 'a/sub', own })
  config.setup({ root = function() return nil end })
  eq(root_of(own), 'a')
  vim.cmd.cd(dir .. '/a')
  config.setup({ root = function() return 'sub' end })
  eq(root_of(own), 'a/sub')
end

T["a user's function that fails is told once, and the markers count"] = function()
  make('a/.git/HEAD')
  local own = buffer(make('a/file'))
  local shown, notify = {}, vim.notify
  vim.notify = function(text) table.insert(shown, text) end
  for _, root in ipairs({ function() error('no idea', 0) end, function() return 3 end }) do
    config.setup({ root = root })
    eq({ root_of(own), root_of(own) }, { 'a', 'a' })
  end
  vim.notify = notify
  eq(shown, {
    'mcp-sidecar: option "root" failed: no idea',
    'mcp-sidecar: option "root" gave 3, not a directory',
  })
end

T['other markers'] = function()
  make('a/.git/HEAD')
  make('a/sub/go.mod')
  local own = buffer(make('a/sub/file'))
  config.setup({ root_markers = { 'go.mod' } })
  eq(root_of(own), 'a/sub')
  vim.cmd.cd(dir)
  config.setup({ root_markers = {} })
  eq(root_of(own), '')
end

T['a session is one for each root'] = function()
  local one = sessions.get('/one')
  eq(one == sessions.get('/one'), true)
  eq(one == sessions.get('/two'), false)
  eq({ sessions.known('/three'), sessions.known('/one') == one }, { nil, true })
  local roots = vim.tbl_map(function(session) return session.root end, sessions.all())
  eq(vim.list_contains(roots, '/one') and vim.list_contains(roots, '/two'), true)
end

return T
