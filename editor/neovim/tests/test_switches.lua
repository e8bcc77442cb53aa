-- What is switched off, and kept.
local switches = require('mcp_sidecar.switches')
local eq = MiniTest.expect.equality

local state, before
local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      before = vim.env.XDG_STATE_HOME
      state = assert(vim.uv.fs_mkdtemp(vim.fs.joinpath(vim.uv.os_tmpdir(), 'state-XXXXXX')))
      vim.env.XDG_STATE_HOME = state
    end,
    post_case = function()
      vim.env.XDG_STATE_HOME = before
      vim.fn.delete(state, 'rf')
    end,
  },
})

local function write(text)
  vim.fn.mkdir(vim.fs.dirname(switches.path()), 'p')
  local file = assert(io.open(switches.path(), 'wb'))
  file:write(text)
  file:close()
end

local function written()
  local file = assert(io.open(switches.path(), 'rb'))
  local text = file:read('*a')
  file:close()
  return text
end

T['what was switched is kept by project, sorted'] = function()
  eq(switches.get('/one'), {})
  eq(switches.set('/one', 'b', true), nil)
  eq(switches.set('/one', 'a/tool', true), nil)
  eq(switches.set('/one', 'b', true), nil)
  eq(switches.set('/two', 'c', true), nil)
  eq({ switches.get('/one'), switches.get('/two') }, { { 'a/tool', 'b' }, { 'c' } })
  eq(switches.set('/one', 'b', false), nil)
  eq(switches.set('/two', 'c', false), nil)
  eq(written(), '{"/one":["a/tool"]}\n')
  eq(switches.set('/one', 'a/tool', false), nil)
  eq(written(), '{}\n')
  eq(vim.fn.readdir(vim.fs.dirname(switches.path())), { 'disabled.json' })
end

T['what another editor has switched meanwhile stays'] = function()
  switches.set('/one', 'a', true)
  write('{"/one":["a","other"],"/two":["b"]}')
  switches.set('/one', 'a', false)
  eq({ switches.get('/one'), switches.get('/two') }, { { 'other' }, { 'b' } })
end

T['members that are no names are nothing'] = function()
  write('{"/one":["a",1,null,["b"]],"/two":"b"}')
  eq({ switches.get('/one'), switches.get('/two') }, { { 'a' }, {} })
end

T['a file that is not understood is told, and left as it is'] = function()
  for _, text in ipairs({ '', '{"/one":["a"', '3' }) do
    write(text)
    local names, why = switches.get('/one')
    eq(
      { names, why },
      { {}, switches.path() .. ' is not the JSON that is written there: repair or remove it' }
    )
    eq(switches.set('/one', 'a', true), why)
    eq(written(), text)
  end
end

T['a state directory that cannot be made is told'] = function()
  vim.env.XDG_STATE_HOME = '/dev/null'
  eq({ switches.get('/one') }, { {}, ('%s: Not a directory'):format(switches.path()) })
  eq(switches.set('/one', 'a', true), ('%s: Not a directory'):format(switches.path()))
end

T['a directory where the file should be is told'] = function()
  vim.fn.mkdir(switches.path(), 'p')
  local why = switches.set('/one', 'a', true)
  eq({ why:match('directory$'), vim.fn.isdirectory(switches.path()) }, { 'directory', 1 })
end

T['a file that cannot be replaced is told, and nothing is left beside it'] = function()
  write('{"/one":["a"]}')
  local rename = vim.uv.fs_rename
  vim.uv.fs_rename = function() return nil, 'EPERM: not today' end
  local why = switches.set('/one', 'b', true)
  vim.uv.fs_rename = rename
  eq({ why, switches.get('/one') }, { 'EPERM: not today', { 'a' } })
  eq(vim.fn.readdir(vim.fs.dirname(switches.path())), { 'disabled.json' })
end

return T
