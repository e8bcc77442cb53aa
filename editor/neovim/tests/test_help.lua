-- The help files say what there is: a thing that is added without a word about it fails here, and so does a word
-- about what is not there.

local help_text = require('help_text')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local files = help_text.read('doc')
local main = vim.iter(files):find(function(file) return file.name == 'mcp-sidecar.txt' end)

---Every tag of our files.
local own = {}
for _, file in ipairs(files) do
  own = vim.tbl_extend('force', own, help_text.tags(file))
end

---Tags of Neovim's own help, of this version.
local function neovims()
  local tags = {}
  for line in io.lines(vim.env.VIMRUNTIME .. '/doc/tags') do
    tags[line:match('^[^\t]+')] = true
  end
  return tags
end

---Tags that Neovim 0.10 does not have, and a later one does.
local NEWER = { ['vim.pack'] = true }

---those are the names of a list that have no tag.
local function without_tag(names, form)
  return vim.tbl_filter(function(name) return not own[form:format(name)] end, names)
end

T['helptags takes the files'] = function()
  local directory = vim.fn.tempname()
  vim.fn.mkdir(directory, 'p')
  for _, file in ipairs(files) do
    vim.fn.writefile(file.lines, directory .. '/' .. file.name)
  end
  vim.cmd.helptags({ args = { directory } }) -- fails at a tag that is there twice
  local count = #vim.fn.readfile(directory .. '/tags')
  vim.fn.delete(directory, 'rf')
  eq(count, vim.tbl_count(own))
end

T['every tag is one of ours'] = function()
  for tag in pairs(own) do
    local named = vim.iter({ '^mcp[-_]sidecar', '^:Mcp', '^Mcp', '^<Plug>%(mcp%-sidecar' })
    eq({ tag, named:any(function(start) return tag:find(start) ~= nil end) }, { tag, true })
  end
end

T['a file begins with its name and ends with a modeline'] = function()
  for _, file in ipairs(files) do
    eq({ file.name, vim.startswith(file.lines[1], '*' .. file.name .. '*') }, { file.name, true })
    local last = file.lines[#file.lines]
    eq(
      { file.name, last:find('^%s*vim:.*ft=help') ~= nil, last:find('tw=78') ~= nil },
      { file.name, true, true }
    )
  end
end

T['no line is longer than 78 columns, ends in a blank or within `code`'] = function()
  local wrong = {}
  for _, file in ipairs(files) do
    for number, line in ipairs(file.lines) do
      local open = file.prose[number]:gsub('[^`]', '') -- code in a text does not go on in another line
      if vim.fn.strdisplaywidth(line) > 78 or line:find('%s$') or #open % 2 == 1 then
        wrong[#wrong + 1] = ('%s:%d: %s'):format(file.name, number, line)
      end
    end
  end
  eq(wrong, {})
end

T['every reference leads somewhere'] = function()
  local theirs, wrong = neovims(), {}
  for _, file in ipairs(files) do
    for _, reference in ipairs(help_text.references(file)) do
      local tag = reference.tag
      if not (own[tag] or theirs[tag] or NEWER[tag]) then
        wrong[#wrong + 1] = ('%s:%d: |%s|'):format(file.name, reference.line, tag)
      end
    end
  end
  eq(wrong, {})
end

---example_problem is why an example is not what it says. One of Lua may be a chunk, a value or members of a table.
---@param example { language: string, text: string }
---@return string?
local function example_problem(example)
  local text = example.text
  if example.language == 'lua' then
    local chunk, why = loadstring(text)
    local is_part = loadstring('return ' .. text) ~= nil or loadstring('return {' .. text .. '}') ~= nil
    return not chunk and not is_part and why or nil
  elseif example.language == 'json' then
    local ok, why = pcall(vim.json.decode, text:find('^%s*{') and text or '{' .. text .. '}')
    return not ok and why or nil
  end
end

T['every example is what it says'] = function()
  local wrong = {}
  for _, file in ipairs(files) do
    for _, example in ipairs(file.examples) do
      local problem = example_problem(example)
      if problem then wrong[#wrong + 1] = ('%s:%d: %s'):format(file.name, example.line, problem) end
    end
  end
  eq(wrong, {})
end

---Names that a message about an unknown one lists.
local function listed(message)
  return vim.split(message:match('there are ([%w_, ]+)$') or message, ', ', { plain = true })
end

---option_names are the full names of all options.
local function option_names()
  local config = require('mcp_sidecar.config')
  local names = {}
  local function add(prefix, given)
    local _, problems = config.merged(given)
    for _, name in ipairs(listed(problems[1])) do
      local default = prefix == '' and config.DEFAULTS[name]
      if
        type(default) == 'table'
        and name ~= 'settings'
        and not vim.islist(default)
        and next(default) ~= nil
      then
        add(name .. '.', { [name] = { ['?'] = 1 } })
      else
        names[#names + 1] = prefix .. name
      end
    end
  end
  add('', { ['?'] = 1 })
  return names
end

T['every option is described, with its default'] = function()
  local names = option_names()
  eq(vim.list_contains(names, 'binary') and vim.list_contains(names, 'ui.border'), true)
  eq(without_tag(names, 'mcp-sidecar-option-%s'), {})
  for _, name in ipairs(names) do
    local text = help_text.after(main, 'mcp-sidecar-option-' .. name)
    local said = text:match('default `(.-)`')
      or text:match("default ('.-')")
      or text:match('default ([%w.]+)')
    local value = loadstring('return ' .. tostring(said))()
    local default =
      vim.tbl_get(require('mcp_sidecar.config').DEFAULTS, unpack(vim.split(name, '.', { plain = true })))
    eq({ name, value }, { name, default })
  end
end

T['every subcommand is described'] = function()
  local names = vim.tbl_keys(require('mcp_sidecar.command').SUBCOMMANDS)
  eq(without_tag(names, ':Mcp-%s'), {})
  for tag in pairs(own) do
    local name = tag:match('^:Mcp%-(.+)$')
    if name then eq({ tag, vim.list_contains(names, name) }, { tag, true }) end
  end
end

T['every function is described'] = function()
  local names, text = {}, table.concat(main.lines, '\n')
  for name, value in pairs(require('mcp_sidecar')) do
    if type(value) == 'function' then
      names[#names + 1] = name
      eq({ name, text:find('\n' .. name .. '(', 1, true) ~= nil }, { name, true })
    end
  end
  eq(without_tag(names, 'mcp_sidecar.%s()'), {})
  eq(own['mcp_sidecar.co'], true)
  for name in pairs(require('mcp_sidecar').co) do
    eq({ name, text:find(('\n    co.%s('):format(name), 1, true) ~= nil }, { name, true })
  end
  for tag in pairs(own) do
    local name = tag:match('^mcp_sidecar%.(.+)%(%)$')
    if name then eq({ name, vim.list_contains(names, name) }, { name, true }) end
  end
end

T['every event is described'] = function()
  local ok, message = pcall(require('mcp_sidecar').on, '?', function() end)
  eq(ok, false)
  local names = listed(message)
  eq(vim.list_contains(names, 'tools_changed'), true)
  eq(without_tag(names, 'mcp-sidecar-event-%s'), {})
  local events = require('mcp_sidecar.events')
  local fired = {}
  local group = vim.api.nvim_create_autocmd('User', {
    callback = function(event) fired[#fired + 1] = event.match end,
  })
  for _, name in ipairs(names) do
    events.emit(name, {})
  end
  vim.api.nvim_del_autocmd(group)
  eq(#fired, 2)
  eq(without_tag(fired, '%s'), {})
end

T['every mapping is described'] = function()
  local names = {}
  for _, mapping in ipairs(vim.api.nvim_get_keymap('n')) do
    local name = mapping.lhs:match('^<Plug>%(mcp%-sidecar.*%)$')
    if name then names[#names + 1] = name end
  end
  eq(#names, 3)
  eq(without_tag(names, '%s'), {})
end

T['every highlight group is described, with what it links to'] = function()
  local links = vim.deepcopy(require('mcp_sidecar.ui.highlights').links)
  for _, row in ipairs(help_text.rows(main, { 'group', 'links to', 'what it is' })) do
    eq(row, { row[1], links[row[1]], row[3] })
    links[row[1]] = nil
  end
  eq(links, {})
end

T['every highlight group is used, and there is one for each that is used'] = function()
  local used = {}
  for _, path in ipairs(vim.fn.globpath('lua/mcp_sidecar', '**/*.lua', true, true)) do
    if vim.fs.basename(path) ~= 'highlights.lua' then
      for name in table.concat(vim.fn.readfile(path), '\n'):gmatch('%f[%w]Mcp%u%w+') do
        used[name] = true
      end
    end
  end
  used.McpToolsChanged, used.McpStatus = nil, nil -- events
  local names, groups = vim.tbl_keys(used), vim.tbl_keys(require('mcp_sidecar.ui.highlights').links)
  table.sort(names)
  table.sort(groups)
  eq(names, groups)
end

---names_of are all the keys of lists of them, sorted.
local function names_of(lists)
  local names = vim.iter(lists):flatten(math.huge):totable()
  table.sort(names)
  return names
end

T['the keys of a window are those that are described'] = MiniTest.new_set({
  parametrize = {
    {
      'Keys in the overview ~',
      function()
        return vim.tbl_map(function(section)
          return vim.tbl_map(function(key) return key.keys end, section.keys)
        end, require('mcp_sidecar.ui.overview_keys').sections)
      end,
    },
    {
      'Keys in a result:',
      function()
        return vim.tbl_map(function(key) return key.key end, require('mcp_sidecar.ui.result').KEYS)
      end,
    },
    {
      'Keys in the dialog:',
      function()
        return vim.tbl_map(function(key) return key.keys end, require('mcp_sidecar.ui.trust_lines').KEYS)
      end,
    },
  },
}, {
  test = function(heading, keys) eq(names_of(help_text.keys(main, heading)), names_of(keys())) end,
})

---Phases of the protocol, which Lua has only as a type.
local function phases()
  local names, inside = {}, false
  for line in io.lines('lua/mcp_sidecar/protocol_gen.lua') do
    local name = inside and line:match("^%-%-%-| '(.-)'")
    inside = line == '---@alias mcp_sidecar.Phase' or name ~= nil and name ~= false
    if name then names[#names + 1] = name end
  end
  return names
end

T['every phase of a server is described, in the word of the overview'] = function()
  local look = require('mcp_sidecar.ui.phases').look
  local said = {}
  for _, row in ipairs(help_text.rows(main, { 'overview', 'phase', 'meaning' })) do
    if row[2] then said[row[2]] = vim.list_extend(said[row[2]] or {}, { row[1] }) end
  end
  local names = phases()
  eq(#names > 10, true)
  for _, phase in ipairs(names) do
    local server = { phase = phase, status = 'disconnected' }
    local words = { look(server, false).word }
    if look(server, true).word ~= words[1] then words[2] = look(server, true).word end
    if phase ~= 'removed' then eq({ phase, said[phase] }, { phase, words }) end
  end
end

return T
