-- Asks for the arguments of a call, one question after the other, through vim.ui.select and vim.ui.input.

local cells = require('mcp_sidecar.cells')
local form_schema = require('mcp_sidecar.ui.form_schema')
local form_value = require('mcp_sidecar.ui.form_value')
local json_write = require('mcp_sidecar.ui.json_write')
local once = require('mcp_sidecar.ui.once')
local say = require('mcp_sidecar.say')

local M = {}

-- So many optional arguments are asked for one by one; more are set from a menu.
local ASKED_ONE_BY_ONE = 4

---FormRequest is what to ask for, and of whom.
---@class mcp_sidecar.FormRequest
---@field label string "server/tool", for people
---@field schema any the inputSchema

---FormOutcome is how a form ended.
---  done       `json` has the arguments
---  edit       the user would rather write them as a text: `json` has those given so far
---  cancelled
---@class mcp_sidecar.FormOutcome
---@field kind "done"|"edit"|"cancelled"
---@field json? string

---FormRun is one form while it is asked. It lives in the closures of its questions only.
---@class mcp_sidecar.FormRun
---@field label string
---@field form mcp_sidecar.Form
---@field answers table<string, string> JSON by name
---@field done fun(outcome: mcp_sidecar.FormOutcome)

---prompt is the question for a field, cut to a width in cells. What was wrong with the last answer stands in the place
---of the description: a message would be overwritten by the prompt where both use the command line.
---@param field mcp_sidecar.FormField
---@param width integer
---@param problem? string
---@return string
function M.prompt(field, width, problem)
  local wanted = field.required and 'required' or 'optional'
  if field.required and field.nullable and not field.choices then wanted = wanted .. ', empty is null' end
  local head = ('%s (%s, %s)'):format(cells.visible(field.name), field.type, wanted)
  local note = problem and cells.visible(problem) or field.description:gsub('[%s.:]+$', '')
  local room = width - cells.width(head) - 4
  if note == '' or room < 10 then return head .. ': ' end
  return ('%s: %s: '):format(head, cells.cut(note, room))
end

local function width() return math.min(vim.o.columns - 20, 120) end

local function complain(field, problem) say.warn(('%s: %s'):format(cells.visible(field.name), problem)) end

local PATH_NAMES = {
  path = 'file',
  file = 'file',
  filename = 'file',
  filepath = 'file',
  dir = 'dir',
  directory = 'dir',
  folder = 'dir',
  source = 'file',
  destination = 'file',
}

local function completion(field)
  if field.kind ~= 'string' then return nil end
  return PATH_NAMES[field.name:lower():match('%a+$') or '']
end

-- Asks for a typed value until it is right. answer(json) gets nil where the argument is left out.
local function ask_text(field, text, answer, cancel, former_problem)
  local options = { default = text, completion = completion(field) }
  options.prompt = M.prompt(field, width(), former_problem)
  local function typed(entry)
    vim.cmd.echo('""') -- Neovim's own prompt stays on the screen, with what was typed
    if entry == nil then return cancel() end
    local json, problem = form_value.read(field, entry)
    if not problem then return answer(json) end
    complain(field, problem)
    ask_text(field, entry, answer, cancel, problem)
  end
  vim.ui.input(options, once(typed))
end

local function select(items, prompt, chosen)
  local options = { prompt = prompt, kind = 'mcp_sidecar.argument' }
  options.format_item = function(item) return item.label end
  vim.ui.select(items, options, once(chosen))
end

---options_of are what a choice is made from: the field's values, null, and leaving it out.
---@param field mcp_sidecar.FormField
---@param current? string JSON that is set now
---@return { label: string, json?: string }[]
local function options_of(field, current)
  local items, has_null = {}, false
  if not field.required then items[1] = { label = '(leave out)' } end
  for _, choice in ipairs(field.choices) do
    local mark = choice.json == current and '  (set)'
      or choice.json == field.default_json and '  (default)'
      or ''
    items[#items + 1] = { label = choice.label .. mark, json = choice.json }
    has_null = has_null or choice.json == 'null'
  end
  if field.nullable and not has_null then items[#items + 1] = { label = 'null', json = 'null' } end
  return items
end

local function ask_choice(field, current, answer, cancel)
  select(options_of(field, current), M.prompt(field, width()), function(item)
    if item == nil then return cancel() end
    answer(item.json)
  end)
end

-- Asks for several of the choices: each selection puts one in or takes it out, in the order of choosing.
local function ask_choices(field, taken, answer, cancel, former_problem)
  local names, labels = {}, {}
  for _, choice in ipairs(field.choices) do
    labels[choice.json] = choice.label
  end
  for i, json in ipairs(taken) do
    names[i] = labels[json] or json
  end
  local items = {
    {
      label = #names == 0 and 'Done: none' or cells.cut('Done: ' .. table.concat(names, ', '), 80),
      done = true,
    },
  }
  for _, choice in ipairs(field.choices) do
    local mark = vim.list_contains(taken, choice.json) and '[x] ' or '[ ] '
    items[#items + 1] = { label = mark .. choice.label, json = choice.json }
  end
  select(items, M.prompt(field, width(), former_problem), function(item)
    if item == nil then return cancel() end
    if not item.done then
      local without = vim.tbl_filter(function(json) return json ~= item.json end, taken)
      if #without == #taken then without[#without + 1] = item.json end
      return ask_choices(field, without, answer, cancel)
    end
    if #taken == 0 and not field.required then return answer(nil) end
    local json, problem = form_value.joined(field, taken)
    if problem then
      complain(field, problem)
      return ask_choices(field, taken, answer, cancel, problem)
    end
    answer(json)
  end)
end

-- The items of a JSON array whose items are simple.
local function items_of(json)
  local ok, values = pcall(vim.json.decode, json or '[]')
  if not ok or type(values) ~= 'table' then return {} end
  return vim.tbl_map(json_write.value, values)
end

-- Asks for one field. `chosen`: the user picked it, so that even an optional one begins with its skeleton.
local function ask_field(run, field, chosen, answer, cancel)
  local current = run.answers[field.name]
  if field.kind == 'choice' then return ask_choice(field, current, answer, cancel) end
  if field.kind == 'choices' then
    return ask_choices(field, items_of(current or field.default_json), answer, cancel)
  end
  local text = field.default
  if not text and (field.required or chosen) then text = field.skeleton end
  if current then
    local ok, value = pcall(vim.json.decode, current)
    local plain = ok and field.kind == 'string' and type(value) == 'string'
    text = plain and value or current
  end
  ask_text(field, text, answer, cancel)
end

local function arguments(run)
  local members = {}
  for _, field in ipairs(run.form.fields) do
    if run.answers[field.name] then
      members[#members + 1] = { name = field.name, json = run.answers[field.name] }
    end
  end
  return json_write.object(members)
end

local function cancelled(run)
  return function() run.done({ kind = 'cancelled' }) end
end

---menu_items are what the menu of optional arguments offers.
---@param label string
---@param fields mcp_sidecar.FormField[] the optional ones
---@param answers table<string, string>
---@return { label: string, action: "call"|"set"|"edit", field?: mcp_sidecar.FormField }[]
local function menu_items(label, fields, answers)
  local items = { { label = 'Call ' .. label .. ' now', action = 'call' } }
  for _, field in ipairs(fields) do
    local name = cells.visible(field.name)
    local text
    if answers[field.name] then
      text = ('Change %s = %s'):format(name, cells.cut(cells.visible(answers[field.name]), 60))
    else
      text = ('Set %s (%s)%s'):format(
        name,
        field.type,
        field.description ~= '' and ': ' .. field.description or ''
      )
    end
    items[#items + 1] = { label = text, action = 'set', field = field }
  end
  items[#items + 1] = { label = 'Write all arguments as JSON', action = 'edit' }
  return items
end

local function ask_menu(run, optional)
  select(menu_items(run.label, optional, run.answers), run.label .. ': ', function(item)
    if item == nil then return run.done({ kind = 'cancelled' }) end
    if item.action ~= 'set' then
      return run.done({ kind = item.action == 'call' and 'done' or 'edit', json = arguments(run) })
    end
    local function again() ask_menu(run, optional) end
    ask_field(run, item.field, true, function(json)
      run.answers[item.field.name] = json
      again()
    end, again)
  end)
end

local function ask_in_turn(run, fields, at, finished)
  local field = fields[at]
  if not field then return finished() end
  local function answer(json)
    run.answers[field.name] = json
    ask_in_turn(run, fields, at + 1, finished)
  end
  -- Where there is nothing to choose, nothing is asked.
  if field.required and field.kind == 'choice' and #field.choices == 1 and not field.nullable then
    return answer(field.choices[1].json)
  end
  ask_field(run, field, false, answer, cancelled(run))
end

---ask asks for the arguments that a schema wants and hands them to `done`, once, on the main loop; at once where there
---are none.
---@param request mcp_sidecar.FormRequest
---@param done fun(outcome: mcp_sidecar.FormOutcome)
function M.ask(request, done)
  local form = form_schema.form(request.schema)
  local run = { label = request.label, form = form, answers = {}, done = done }
  if form.whole then
    return ask_text(
      form.fields[1],
      form.fields[1].default,
      function(json) done({ kind = 'done', json = json }) end,
      cancelled(run)
    )
  end
  local required, optional = {}, {}
  for _, field in ipairs(form.fields) do
    table.insert(field.required and required or optional, field)
  end
  ask_in_turn(run, required, 1, function()
    if #optional > ASKED_ONE_BY_ONE then return ask_menu(run, optional) end
    ask_in_turn(run, optional, 1, function() done({ kind = 'done', json = arguments(run) }) end)
  end)
end

return M
