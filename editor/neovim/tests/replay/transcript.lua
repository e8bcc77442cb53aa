-- Reads the dialogues in conformance/: text in, steps out. conformance/README.md is the format.

local failure = require('replay.failure')
local pattern = require('replay.pattern')

local M = {}

---One file.
---@class replay.Transcript
---@field title string the first line: the promise that the dialogue shows kept
---@field comment string the lines between the title and the first section
---@field steps replay.Step[]

---Step is one line of a dialogue with the lines that continue it, or one unordered group.
---@class replay.Step
---@field line integer counts from 1 in the file
---@field verb string
---@field args string[] the words after the verb. Those that send or expect have one, the JSON; raw has one, the quoted text
---@field group replay.Step[] the expected messages of a group

---How many words follow each verb, at least and at most.
---@type table<string, [integer, integer]>
local arity = {
  ['>'] = { 1, 1 },
  ['<'] = { 1, 1 },
  ['<!'] = { 1, 1 },
  ['<{'] = { 0, 0 },
  start = { 0, math.huge },
  raw = { 1, 1 },
  eof = { 0, 0 },
  signal = { 1, 1 },
  exit = { 1, 1 },
  stop = { 0, 0 },
  stderr = { 1, math.huge },
  put = { 2, 2 },
  remove = { 1, 1 },
  mode = { 2, 2 },
  await = { 2, math.huge },
  count = { 4, math.huge },
  release = { 2, 2 },
  kill = { 1, 1 },
  gone = { 0, 1 },
  launch = { 1, 1 },
  attach = { 1, math.huge },
  as = { 1, 1 },
}

---The sections of a txtar archive; the first is the comment, which has no name.
---@return { name: string, first: integer, lines: string[] }[] sections first is the number of its first line in the file
local function sections_of(text)
  local sections = { { name = '', first = 1, lines = {} } }
  for i, line in ipairs(vim.split(text, '\n', { plain = true })) do
    local name = line:match('^%-%- (.*%S.*) %-%-%s*$')
    if name then
      table.insert(sections, { name = vim.trim(name), first = i + 1, lines = {} })
    else
      table.insert(sections[#sections].lines, line)
    end
  end
  return sections
end

---The lines without blank ones and comments, each with the indented lines that continue it. Inside a group, an
---indented line that begins with "<" continues nothing.
---@return { line: integer, text: string }[]
local function joined(section)
  local lines = {}
  for i, raw in ipairs(section.lines) do
    local text = vim.trim(raw)
    local last = lines[#lines]
    local continues = vim.startswith(raw, ' ') and last and not vim.startswith(text, '< ')
    if text ~= '' and not vim.startswith(text, '#') then
      if continues then
        last.text = last.text .. ' ' .. text
      else
        table.insert(lines, { line = section.first + i - 1, text = text })
      end
    end
  end
  return lines
end

---@return string[] args
local function read_args(line, verb, rest)
  if verb == '>' or verb == '<' or verb == '<!' then
    if not pcall(pattern.read, rest) then failure.raise(line, 'not a JSON object: ' .. rest) end
    return { rest }
  end
  if verb == 'raw' then
    if not rest:find('^".*"$') then failure.raise(line, 'not a quoted string: ' .. rest) end
    return { rest }
  end
  local args = vim.split(rest, '%s+', { trimempty = true })
  local least, most = unpack(arity[verb])
  if #args < least or #args > most then
    failure.raise(line, ('%s takes %d words or more, has %d'):format(verb, least, #args))
  end
  if verb == 'count' and not args[#args]:find('^%-?%d+$') then
    failure.raise(line, ('count ends in a number, has "%s"'):format(args[#args]))
  end
  return args
end

---@return replay.Step
local function read_step(line, text)
  local verb, rest = text:match('^(%S+)%s*(.*)$')
  if not arity[verb] then failure.raise(line, ('unknown verb "%s"'):format(verb)) end
  return { line = line, verb = verb, args = read_args(line, verb, rest), group = {} }
end

---@return replay.Step[]
local function read_steps(section, expand)
  local steps = {}
  local group ---@type replay.Step? the open one
  for _, each in ipairs(joined(section)) do
    if group and each.text == '}' then
      table.insert(steps, group)
      group = nil
    else
      local step = read_step(each.line, expand(each.text))
      if step.verb == '<{' then
        group = step
      elseif not group then
        table.insert(steps, step)
      elseif step.verb == '<' then
        table.insert(group.group, step)
      else
        failure.raise(each.line, 'only expected messages stand in a group')
      end
    end
  end
  if group then failure.raise(group.line, 'the group is not closed') end
  return steps
end

---Reads a transcript. What it raises is a failure.
---@param text string
---@param expand fun(text: string): string replaces the placeholders of a line
---@return replay.Transcript
function M.read(text, expand)
  local sections = sections_of(text)
  local head = table.remove(sections, 1).lines
  local title = table.remove(head, 1) or ''
  if title == '' then failure.raise(1, 'the first line must say what the transcript shows') end
  local dialogues = vim.tbl_filter(function(section) return section.name == 'dialogue' end, sections)
  if not dialogues[1] then failure.raise(1, 'no section named dialogue') end
  if dialogues[2] then failure.raise(dialogues[2].first, 'two sections named dialogue') end
  return {
    title = title,
    comment = vim.trim(table.concat(head, '\n')),
    steps = read_steps(dialogues[1], expand),
  }
end

return M
