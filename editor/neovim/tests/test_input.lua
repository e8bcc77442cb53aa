-- The value of an ${input:…} is asked for as its entry wants it.
local await = require('patience').await
local eq = MiniTest.expect.equality
local input = require('mcp_sidecar.ui.input')

---How long no key was pressed when a question comes up, and how long one without windows is still there.
local PAUSE_MS, GONE_MS = 300, 1000

local child, hooks = require('fresh').neovim({
  lines = 24,
  columns = 80,
  begin = [[
    replies, said = {}, {}
    vim.notify = function(text) said[#said + 1] = text end
    function ask(question)
      question = vim.tbl_extend('keep', question, { server = 's', id = 'token', type = 'promptString' })
      withdraw = require('mcp_sidecar.ui.input').ask(question, function(...)
        replies[#replies + 1] = { count = select('#', ...), value = ... }
      end)
    end
  ]],
})
local T = MiniTest.new_set({ hooks = hooks })

---ask asks, and waits until a line can be typed.
local function ask(question)
  child.lua('ask(...)', { question })
  child.advance(PAUSE_MS)
  eq(child.fn.mode(), 'c')
end

---replied lets happen what is on its way.
local function replied()
  child.advance(0)
  local replies = child.lua_get('replies')
  eq(#replies, 1)
  return replies[1].value
end

T['the text'] = MiniTest.new_set({
  parametrize = {
    { { description = 'API token' }, 'API token (s): ' },
    { { description = 'API token: ' }, 'API token (s): ' },
    { {}, 'token (s): ' },
    { { description = '' }, 'token (s): ' },
    { { description = ' \n ' }, 'token (s): ' },
    { { description = 'one\ntwo\r\n\tthree' }, 'one two three (s): ' },
    { { description = 'a\27[2Jb\0c\127' }, 'a\\e[2Jb\\x00c\\x7f (s): ' },
    { { description = 'turned \226\128\174round' }, 'turned \\u{202e}round (s): ' },
    { { description = '50% of\\n it' }, '50% of\\n it (s): ' },
    { { server = 'x\ny' }, 'token (x\\ny): ' },
    { { description = ('d'):rep(500) }, ('d'):rep(199) .. '… (s): ' },
  },
})
T['the text']['of a question'] = function(question, wanted)
  local whole = vim.tbl_extend('keep', question, { server = 's', id = 'token', type = 'promptString' })
  eq(input.text_of(whole), wanted)
end

T['what is typed is the value'] = MiniTest.new_set({
  parametrize = {
    { {}, 'abc<CR>', 'abc' },
    { {}, '<CR>', '' },
    { {}, 'abc<Esc>', nil },
    { {}, 'abc<C-c>', nil },
    { { default = 'eu' }, '<CR>', 'eu' },
    { { default = 'eu' }, '-1<CR>', 'eu-1' },
    { { default = 'eu' }, '<C-u><CR>', '' },
    { { default = 'eu' }, '<Esc>', nil },
    { { password = true }, 'abc<CR>', 'abc' },
    { { password = true }, '<CR>', '' },
    { { password = true }, 'abc<Esc>', nil },
    { { password = true }, 'abc<C-c>', nil },
    { { password = true, default = 'eu' }, '<CR>', 'eu' },
    { { password = true, default = 'eu' }, '<C-c>', nil },
    { { password = true, description = 'one\ntwo' }, 'ü 日<CR>', 'ü 日' },
  },
})
T['what is typed is the value']['for'] = function(question, keys, wanted)
  ask(question)
  child.type_keys(keys)
  eq(replied(), wanted)
  eq({ child.fn.mode(), child.lua_get('said') }, { 'n', {} })
end

T['no value is not an empty one'] = function()
  ask({ password = true })
  child.type_keys('<C-c>')
  replied()
  eq(child.lua_get('replies[1].value == nil'), true)
end

T['the next question comes after Ctrl-C'] = function()
  ask({ password = true })
  child.lua([[ask({ id = 'other' })]])
  child.type_keys('<C-c>')
  eq({ child.fn.mode(), child.lua_get('#replies') }, { 'n', 1 })
  child.advance(2 * PAUSE_MS)
  eq(child.fn.mode(), 'c')
  child.type_keys('x<CR>')
  child.advance(0)
  eq(child.lua_get('#replies'), 2)
  eq(child.lua_get('replies[2].value'), 'x')
end

T['a password is nowhere to be seen'] = function()
  ask({ password = true })
  child.type_keys('hunter2')
  child.cmd('redraw')
  local screen = tostring(child.get_screenshot())
  eq({ screen:find('hunter2', 1, true), screen:find('*******', 1, true) ~= nil }, { nil, true })
  child.type_keys('<CR>')
  eq(replied(), 'hunter2')
  local everywhere = {
    tostring(child.get_screenshot()),
    child.cmd_capture('messages'),
    child.cmd_capture('history all'),
    child.cmd_capture('registers'),
    child.cmd_capture('let'),
  }
  eq(table.concat(everywhere):find('hunter2', 1, true), nil)
end

T['options are chosen from, the default first'] = function()
  child.lua([[
    vim.ui.select = function(items, options, done)
      shown = { items = vim.tbl_map(options.format_item, items), prompt = options.prompt, kind = options.kind }
      done(items[choice])
    end
  ]])
  local rows = {
    { { options = { 'eu', 'us' } }, 2, { 'eu', 'us' }, 'us' },
    { { options = { 'eu', 'us' }, default = 'us' }, 1, { 'us  (default)', 'eu' }, 'us' },
    { { options = { 'eu', 'us' }, default = 'us' }, 2, { 'us  (default)', 'eu' }, 'eu' },
    { { options = { 'eu', 'us' }, default = 'asia' }, 9, { 'eu', 'us' }, nil },
    { { options = { 'a\nb' } }, 1, { 'a\\nb' }, 'a\nb' },
    { { options = { 'a', 'b' }, password = true }, 1, { 'a', 'b' }, 'a' },
  }
  for number, row in ipairs(rows) do
    child.lua('choice, shown, replies = ..., nil, {}', { row[2] })
    child.lua('ask(...)', { row[1] })
    child.advance(PAUSE_MS)
    eq({ number, replied() }, { number, row[4] })
    eq(child.lua_get('shown'), { items = row[3], prompt = 'token (s): ', kind = 'mcp_sidecar.input' })
  end
end

T["Neovim's own list of choices works, and its Ctrl-C"] = function()
  local function choose(keys)
    child.lua([[replies = {} ask({ options = { 'eu', 'us' } })]])
    -- 0.10 takes nothing but this while its list is up.
    local function get_mode() return vim.rpcrequest(child.job.channel, 'nvim_get_mode') end
    child.advance(PAUSE_MS)
    eq(get_mode().mode ~= 'n', true)
    vim.rpcrequest(child.job.channel, 'nvim_input', keys)
    await('the end of the list', function() return not child.is_blocked() end)
    return replied()
  end
  eq({ choose('2<CR>'), choose('<CR>'), choose('<C-c>'), choose('1<CR>') }, { 'us', nil, nil, 'eu' })
  eq(child.lua_get('said'), {})
end

T['without options there is a line to type'] = function()
  ask({ options = {}, type = 'pickString' })
  child.type_keys('x<CR>')
  eq(replied(), 'x')
end

T['a UI that fails gives no value, and is reported'] = function()
  child.lua([[vim.ui.input = function() error('no screen') end ask({})]])
  child.advance(PAUSE_MS)
  eq(replied(), nil)
  eq(#child.lua_get('said'), 1)
  eq(child.lua_get('said[1]'):match('no screen'), 'no screen')
end

---A UI whose answer the test gives, with a window of its own.
local LATER = [[
  vim.ui.input = function(_, done)
    answer = done
    local place = { relative = 'editor', row = 1, col = 1, width = 20, height = 1 }
    window = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true, place)
  end
]]

local function asked_later()
  child.lua(LATER .. 'ask({})')
  child.advance(PAUSE_MS)
  eq(child.lua_get('answer ~= nil'), true)
end

T['a UI may answer when it likes, but once'] = function()
  asked_later()
  eq(child.lua_get('replies'), {})
  child.lua([[vim.api.nvim_win_close(window, true) answer('x') answer('y') answer(nil)]])
  eq({ replied(), child.lua_get('said') }, { 'x', {} })
end

T['a UI that forgets its callback gives no value, and a late one is not lost silently'] = function()
  asked_later()
  child.lua([[vim.api.nvim_win_close(window, true)]])
  child.advance(GONE_MS - 1)
  eq(child.lua_get('replies'), {})
  child.advance(1)
  eq(replied(), nil)
  child.lua([[answer(nil)]])
  eq(child.lua_get('said'), {})
  child.lua([[answer('x')]])
  eq(#child.lua_get('replies'), 1)
  eq(child.lua_get('said'), { 'mcp-sidecar: the value for token came too late: `:Mcp connect s` asks again' })
end

T['a question that was withdrawn is not answered'] = function()
  asked_later()
  child.lua([[withdraw() answer('x')]])
  eq(child.lua_get('{ replies, said }'), { {}, { 'mcp-sidecar: the value for token came too late' } })
end

T['a question that is withdrawn before it comes up does not come up'] = function()
  child.lua([[ask({}) withdraw() ask({ id = 'next' })]])
  child.advance(PAUSE_MS)
  eq(child.fn.mode(), 'c')
  eq(tostring(child.get_screenshot()):find('token', 1, true), nil)
  child.type_keys('x<CR>')
  eq(replied(), 'x')
end

return T
