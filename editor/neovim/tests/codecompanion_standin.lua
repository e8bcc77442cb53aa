-- What the extension touches of codecompanion.nvim, as its documentation describes it: the configuration, the
-- chats with their callbacks and events, and how a tool is run ("Extending with Tools").
local M = {}

local Registry = {}
Registry.__index = Registry

function Registry:add_single_tool(name)
  local entry = M.config.interactions.chat.tools[name]
  if not entry or self.in_use[name] then return nil end
  self.in_use[name] = true
  self.schemas[('<tool>%s</tool>'):format(name)] = entry.callback().schema
  return self
end

function Registry:add_group(name)
  if self.groups[name] then return nil end
  local added = {}
  for _, tool in ipairs(M.config.interactions.chat.tools.groups[name].tools) do
    if self:add_single_tool(tool) then added[#added + 1] = tool end
  end
  self.groups[name] = added
  table.insert(self.chat.context_items, { id = ('<group>%s</group>'):format(name) })
  return self
end

---install takes codecompanion's place; the extension is set up with options.
---@param options? table
---@param config? table codecompanion's own, of tools
function M.install(options, config)
  local tools = vim.tbl_extend('force', { groups = {}, opts = { default_tools = {} } }, config or {})
  M.config = { interactions = { chat = { tools = tools } } }
  M.chats = {}
  package.loaded['codecompanion.config'] = M.config
  package.loaded['codecompanion'] = { buf_get_chat = function(buffer) return M.chats[buffer] end }
  require('codecompanion._extensions.mcp_sidecar').setup(options)
  return tools
end

function M.remove()
  for _, buffer in ipairs(vim.tbl_keys(M.chats)) do
    M.close(buffer)
  end
  for _, name in ipairs({ 'codecompanion', 'codecompanion.config', 'codecompanion._extensions.mcp_sidecar' }) do
    package.loaded[name] = nil
  end
end

local function fire(event, data)
  vim.api.nvim_exec_autocmds('User', { pattern = 'CodeCompanion' .. event, data = data })
end

---open opens a chat.
function M.open()
  local chat =
    { bufnr = vim.api.nvim_create_buf(false, true), callbacks = {}, context_items = {}, outputs = {} }
  chat.tool_registry = setmetatable({ chat = chat, groups = {}, in_use = {}, schemas = {} }, Registry)
  function chat:add_callback(event, callback) self.callbacks[event] = callback end
  function chat:add_tool_output(tool, for_llm, for_user)
    table.insert(self.outputs, { tool = tool.name, llm = for_llm, user = for_user })
  end
  M.chats[chat.bufnr] = chat
  local tools = M.config.interactions.chat.tools
  for _, name in ipairs(tools.opts.default_tools) do
    if tools.groups[name] then chat.tool_registry:add_group(name) end
  end
  fire('ChatCreated', { bufnr = chat.bufnr })
  return chat
end

function M.close(buffer)
  M.chats[buffer] = nil
  fire('ChatClosed', { bufnr = buffer })
  if vim.api.nvim_buf_is_valid(buffer) then vim.api.nvim_buf_delete(buffer, { force = true }) end
end

---call runs a tool as a model asks for it.
---@param chat table
---@param name string
---@param arguments string
---@param form? "current"|"before 19"
---@return table run { asked?: boolean, question?: string, status?: string, stop: fun() }
function M.call(chat, name, arguments, form)
  local old = form == 'before 19'
  local entry = M.config.interactions.chat.tools[name]
  local tool = vim.deepcopy(entry.callback())
  tool.name = name
  tool.function_call = { id = '1', ['function'] = { name = name, arguments = arguments } }
  tool.args = vim.json.decode(arguments)
  tool.opts = entry.opts
  local tools = { chat = chat, stderr = {}, tool = tool }
  local meta = old and tools or { tools = tools }
  local run = {}
  local function exit()
    if tool.handlers.on_exit then tool.handlers.on_exit(tool, meta) end
  end
  local function done(message)
    if run.status then return end
    run.status = message.status
    local handler = message.status == 'error' and tool.output.error or tool.output.success
    if old then
      handler(tool, tools, { tools = 'of the model' }, { message.data })
    else
      handler(tool, { message.data }, { tools = tools, cmd = tool.args })
    end
    exit()
  end
  function run.stop()
    run.status = 'cancelled'
    exit()
  end
  tool.handlers.setup(tool, meta)
  run.asked = entry.opts[old and 'requires_approval' or 'require_approval_before'](tool, tools)
  if run.asked then run.question = tool.output.prompt(tool, meta) end
  local ok, problem
  if old then
    ok, problem = pcall(tool.cmds[1], tools, tool.args, nil, done)
  else
    ok, problem = pcall(tool.cmds[1], tools, tool.args, { output_cb = done })
  end
  if not ok then done({ status = 'error', data = problem }) end
  return run
end

return M
