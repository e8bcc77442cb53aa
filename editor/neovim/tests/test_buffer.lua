-- The plugin's own buffers, in a Neovim whose options and buffers are in the way.
local eq = MiniTest.expect.equality
local child = MiniTest.new_child_neovim()

local T = MiniTest.new_set({
  hooks = {
    pre_case = function()
      child.restart({ '-u', 'tests/minit.lua' })
      child.lua([[
        user = require('user')
        user.plays({})
        function nothing() end
        opens = {
          overview = function()
            require('overview_stub').install()
            require('mcp_sidecar.ui.overview').open(Stub.session)
          end,
          log = function(server)
            require('overview_stub').install()
            require('mcp_sidecar.ui.logs').open(Stub.session, server)
          end,
          ['log of a server'] = function() opens.log('files') end,
          arguments = function()
            require('mcp_sidecar.ui.arguments_buffer').open({ label = 'fs/read', schema = {}, call = nothing })
          end,
          result = function()
            local outcome = user.outcome('text')
            local request = { label = 'fs/read', outcome = outcome, again = nothing, edit = nothing }
            require('mcp_sidecar.ui.result').open(request)
          end,
          ['keys of a result'] = function()
            opens.result()
            vim.fn.maparg('g?', 'n', false, true).callback()
          end,
          trust = function()
            local server = { name = 'a', path = '/p/.mcp.json', project = '/p', command = 'run', uses = {} }
            require('mcp_sidecar.ui.trust_dialog').open({ server }, nothing)
          end,
          progress = function()
            require('mcp_sidecar.ui.progress').begin({ label = 'fs/read' })
            assert(vim.wait(30000, function() return #vim.api.nvim_list_wins() == 2 end, 5))
          end,
        }
      ]])
    end,
    post_once = child.stop,
  },
})

local WINDOWS = {
  { 'overview' },
  { 'log' },
  { 'log of a server' },
  { 'arguments' },
  { 'result' },
  { 'keys of a result' },
  { 'trust' },
  { 'progress' },
}

T['a global nomodifiable is not theirs'] = MiniTest.new_set({ parametrize = WINDOWS })
T['a global nomodifiable is not theirs']['in'] = function(what)
  child.cmd('set nomodifiable')
  child.lua('opens[...]()', { what })
  eq({ #child.api.nvim_list_wins() > 1, child.v.errmsg }, { true, '' })
end

T['buffers of a restored session do not have the only name'] = MiniTest.new_set({
  parametrize = {
    { 'log', 'mcp-log:///home/me/app', 'mcp-log:///home/me/app (2)' },
    { 'log of a server', 'mcp-log:///home/me/app//files', 'mcp-log:///home/me/app//files (2)' },
    { 'arguments', 'mcp://fs/read/arguments/1', 'mcp://fs/read/arguments/1 (2)' },
    { 'result', 'mcp://fs/read/1', 'mcp://fs/read/1 (2)' },
  },
})
T['buffers of a restored session do not have the only name']['in'] = function(what, name, other)
  child.cmd('file ' .. name)
  child.lua('opens[...]()', { what })
  eq(child.api.nvim_buf_get_name(0), other)
end

return T
