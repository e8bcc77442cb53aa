-- One MCP tool as codecompanion has its tools (its documentation: "Extending with Tools"). Versions before 19
-- give the functions of a tool other parameters; both are understood.

local answer = require('mcp_sidecar.adapters.answer')
local content = require('mcp_sidecar.adapters.content')
local input_schema = require('mcp_sidecar.adapters.input_schema')
local inlined = require('mcp_sidecar.adapters.inline_references').inlined
local of_tool = require('mcp_sidecar.tool')
local offer = require('mcp_sidecar.adapters.offer')
local words = require('mcp_sidecar.adapters.codecompanion_words')

local M = {}

---How many characters of a description every provider takes.
local LONGEST = 1024

---ShownTool is a tool as models see it.
---@class mcp_sidecar.ShownTool
---@field tool mcp_sidecar.Tool what it was made of
---@field schema table in the form of Chat Completions; a chat that has it sees what is changed in it
---@field renamed mcp_sidecar.Renamed

---shown is what a model sees of a tool. Given `before`, it is changed in place, and so in the chats that have it.
---@param tool mcp_sidecar.Tool
---@param before? mcp_sidecar.ShownTool
---@return mcp_sidecar.ShownTool
function M.shown(tool, before)
  local shown = before or { schema = { type = 'function' } }
  if shown.tool == tool then return shown end
  local schema, renamed = input_schema.for_provider(of_tool.definition(tool).inputSchema, 'any')
  shown.tool, shown.renamed = tool, renamed
  shown.schema['function'] = {
    name = tool.name,
    description = offer.description(tool, LONGEST) or tool.label,
    parameters = vim.deepcopy(inlined(schema)), -- codecompanion changes it for some models
  }
  return shown
end

---needs_approval: is the user asked before a call?
---@param approval mcp_sidecar.Approval
---@param tool mcp_sidecar.Tool
---@param args any
---@return boolean
local function needs_approval(approval, tool, args)
  if approval == 'never' then return false end
  if type(approval) == 'function' then return approval(tool, args) ~= false end
  local only_reads = of_tool.annotations(tool).readOnlyHint == true
  return approval == 'always' or not only_reads
end

---The chat of a call: it is in the tool system, which is given as it is, or as the member `tools`.
---@param ... any
---@return table?
local function chat_of(...)
  for i = 1, select('#', ...) do
    local given = select(i, ...)
    if type(given) == 'table' then
      if type(given.chat) == 'table' then return given.chat end
      if type(given.tools) == 'table' and type(given.tools.chat) == 'table' then return given.tools.chat end
    end
  end
end

---ToolPlace is where a tool is called.
---@class mcp_sidecar.ToolPlace
---@field session mcp_sidecar.Session
---@field shown mcp_sidecar.ShownTool

---ToolHost is what a tool needs to know of the rest.
---@class mcp_sidecar.ToolHost
---@field options mcp_sidecar.CodeCompanionConfig
---@field place fun(name: string, chat: table?): mcp_sidecar.ToolPlace
---@field running table<mcp_sidecar.Cancel, integer> the calls that run, and the buffers of their chats

---The one command of a tool: it runs the call, and says how it went.
---@param host mcp_sidecar.ToolHost
---@param name string
---@param state { call?: table, answer?: mcp_sidecar.Answer, cancel?: mcp_sidecar.Cancel }
local function command(host, name, state)
  return function(tools, args, opts, old_output)
    local output = type(opts) == 'table' and opts.output_cb or old_output
    local chat = chat_of(tools)
    local place = host.place(name, chat)
    -- The model's own text, if it is there: codecompanion has read it into tables, and their numbers are inexact.
    local called = type(state.call) == 'table' and state.call['function'] or {}
    local given = type(called.arguments) == 'string' and called.arguments or args
    local how = { shown = { [name] = place.shown.renamed }, only_shown = false, call = host.options.call }
    local cancel, dropped
    local function abandon()
      dropped = true
      if cancel then cancel() end
    end
    state.cancel = function()
      if cancel then cancel() end
    end
    host.running[abandon] = chat and chat.bufnr or -1
    cancel = answer.one(place.session, { name = name, arguments = given }, how, function(one)
      host.running[abandon], state.answer = nil, one
      if dropped then return end
      local text = content.in_words(content.saying_failure(one.parts, one.failed))
      output({ status = one.failed and 'error' or 'success', data = text })
    end)
  end
end

---What the user is asked before a call, and what is added to the chat after it.
---@param host mcp_sidecar.ToolHost
---@param name string
---@param state { answer?: mcp_sidecar.Answer }
local function output(host, name, state)
  local function report(self, chat, failed, fallback)
    local one = state.answer or answer.failure(fallback)
    local text = content.in_words(content.saying_failure(one.parts, one.failed))
    chat:add_tool_output(self, text, words.report(host.place(name, chat).shown.tool.label, failed, text))
  end
  return {
    prompt = function(self, meta)
      return words.question(host.place(name, chat_of(meta)).shown.tool, self.args)
    end,
    success = function(self, ...) report(self, chat_of(...), false, 'The tool returned nothing.') end,
    error = function(self, first, second, third)
      local said = third or first
      local last = type(said) == 'table' and said[#said] or 'The tool failed without saying why.'
      report(self, chat_of(first, second), true, tostring(last))
    end,
  }
end

---build is a tool for one use: codecompanion asks for it anew at every call.
---@param host mcp_sidecar.ToolHost
---@param name string
---@return table
local function build(host, name)
  local state = {}
  return {
    name = name,
    schema = host.place(name).shown.schema,
    cmds = { command(host, name, state) },
    output = output(host, name, state),
    handlers = {
      setup = function(self) state.call = self.function_call end,
      -- Comes after everything: a call that runs then was stopped by the user.
      on_exit = function()
        if state.cancel then state.cancel() end
      end,
    },
  }
end

---entry is what stands in codecompanion's configuration for a tool. It has no table of ours in it: codecompanion
---copies it, and makes a hash of it.
---@param host mcp_sidecar.ToolHost
---@param tool mcp_sidecar.Tool
---@return table
function M.entry(host, tool)
  local name = tool.name
  local function approve(self, tools)
    return needs_approval(host.options.approval, host.place(name, chat_of(tools)).shown.tool, self.args)
  end
  local own = host.options.tool_opts
  if type(own) == 'function' then own = own(tool) end
  local said = offer.description(tool, 80)
  return {
    description = said and ('%s: %s'):format(tool.label, (said:gsub('%s+', ' '))) or tool.label,
    visible = host.options.visible,
    callback = function() return build(host, name) end,
    opts = vim.tbl_extend('keep', own or {}, {
      require_approval_before = approve,
      requires_approval = approve, -- before 18
    }),
  }
end

return M
