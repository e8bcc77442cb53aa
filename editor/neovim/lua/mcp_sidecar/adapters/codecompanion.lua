-- The tools of a session as tools of codecompanion.nvim, kept true while they change. See
-- |mcp-sidecar-codecompanion|.
--
-- Codecompanion has one configuration for all chats, and there may be sessions of several projects. So all tools
-- of all sessions stand in it, but its groups, by which chats get tools, hold those of one project: that of the
-- buffer the user is in, and in a chat that of the buffer it was opened from. A call goes to the project of its
-- chat.

local chats = require('mcp_sidecar.adapters.codecompanion_chats')
local events = require('mcp_sidecar.events')
local groups = require('mcp_sidecar.adapters.codecompanion_groups')
local offer = require('mcp_sidecar.adapters.offer')
local say = require('mcp_sidecar.say')
local sessions = require('mcp_sidecar.sessions')
local tools = require('mcp_sidecar.adapters.codecompanion_tool')

local M = {}

---Approval says when the user is asked before a call; a function: unless it says false.
---@alias mcp_sidecar.Approval "unless_read_only"|"always"|"never"|fun(tool: mcp_sidecar.Tool, args: any): boolean?

---CodeCompanionOptions are what a user gives.
---@class mcp_sidecar.CodeCompanionOptions: mcp_sidecar.AdapterOptions
---@field group? string|false the name of the group of all tools, and what those of servers begin with
---@field server_groups? boolean a group for each server
---@field visible? boolean single tools are in the completion, too
---@field approval? mcp_sidecar.Approval
---@field start? boolean start the sidecar of a project at its first chat
---@field tool_opts? table|fun(tool: mcp_sidecar.Tool): table? codecompanion's own `opts` of tools

---CodeCompanionConfig is what counts: the options, and the default of each that was not given.
---@class mcp_sidecar.CodeCompanionConfig: mcp_sidecar.CodeCompanionOptions
---@field group string|false
---@field server_groups boolean
---@field visible boolean
---@field approval mcp_sidecar.Approval
---@field start boolean
---@field tool_opts table|fun(tool: mcp_sidecar.Tool): table?

---@type mcp_sidecar.CodeCompanionConfig
local DEFAULTS = {
  group = 'mcp',
  server_groups = true,
  visible = true,
  approval = 'unless_read_only',
  start = true,
  tool_opts = {},
}

---Options that have none.
local WITHOUT_DEFAULT = { 'root', 'servers', 'filter', 'call' }

---Bridge is one setup of the extension.
---@class mcp_sidecar.CodeCompanionBridge: mcp_sidecar.ToolHost
---@field private config table codecompanion's tools
---@field private followed mcp_sidecar.Session whose tools are in the groups
---@field private chats table<integer, mcp_sidecar.Session> by buffer
---@field private entries table<string, table> of ours in config, by the names of tools
---@field private groups table<string, mcp_sidecar.ToolGroup> of ours in config
---@field private group_entries table<string, table>
---@field private shown table<string, table<string, mcp_sidecar.ShownTool>> by root and name: what chats may have
---@field private missing table<integer, string[]> by buffer: groups that every chat has, and that were not there yet
---@field private started table<string, true> roots
local Bridge = {}
Bridge.__index = Bridge

---@param session mcp_sidecar.Session
---@param name string
---@return mcp_sidecar.Tool?
local function find(session, name)
  return vim.iter(session:view().tools):find(function(tool) return tool.name == name end)
end

---where a tool is called: in the session of the chat, or else in one that has it.
---@private
---@param name string
---@param chat? table
---@return mcp_sidecar.ToolPlace
function Bridge:where(name, chat)
  local session = chat and self.chats[chat.bufnr] or self.followed
  local tool = find(session, name)
  for _, other in ipairs(tool and {} or sessions.all()) do
    tool = find(other, name)
    if tool then
      session = other
      break
    end
  end
  local known = self.shown[session.root] or {}
  self.shown[session.root] = known
  -- One that is gone is called nevertheless: the sidecar knows why it is.
  tool = tool or (known[name] or {}).tool or { name = name, label = name, server = '', definition = {} }
  known[name] = tools.shown(tool, known[name])
  return { session = session, shown = known[name] }
end

---all are the tools of all sessions by name, those of the followed one first.
---@private
---@return table<string, mcp_sidecar.Tool>
function Bridge:all()
  local all = {}
  for _, session in ipairs(vim.list_extend({ self.followed }, sessions.all())) do
    for _, tool in ipairs(offer.tools(session, self.options)) do
      all[tool.name] = all[tool.name] or tool
    end
  end
  return all
end

---unregister takes out of codecompanion's configuration what is of this bridge.
---@private
function Bridge:unregister()
  for name, entry in pairs(self.entries) do
    if self.config[name] == entry then self.config[name] = nil end
  end
  for name, entry in pairs(self.group_entries) do
    if self.config.groups[name] == entry then self.config.groups[name] = nil end
  end
  self.entries, self.groups, self.group_entries = {}, {}, {}
end

---register makes codecompanion's configuration true. What is there by another's hand is left alone.
---@private
function Bridge:register()
  self:unregister()
  for name, tool in pairs(self:all()) do
    if self.config[name] == nil then
      self.entries[name] = tools.entry(self, tool)
      self.config[name] = self.entries[name]
    end
  end
  self:register_groups()
  for root, known in pairs(self.shown) do
    local session = sessions.get(root)
    for name, shown in pairs(known) do
      tools.shown(find(session, name) or shown.tool, shown)
    end
  end
end

---@private
function Bridge:register_groups()
  self.config.groups = self.config.groups or {}
  local there = self.config.groups
  local own = vim.tbl_filter(
    function(tool) return self.entries[tool.name] ~= nil end,
    offer.tools(self.followed, self.options)
  )
  local function taken(name) return there[name] ~= nil or self.config[name] ~= nil end
  for _, group in ipairs(groups.plan(own, self.options, taken)) do
    local entry = { description = group.description, prompt = group.prompt, tools = group.tools }
    entry.opts = { collapse_tools = true }
    self.groups[group.name], self.group_entries[group.name] = group, entry
    there[group.name] = entry
  end
end

---complete gives the chats of the followed session what came meanwhile.
---@private
---@param only? table chat
function Bridge:complete(only)
  for buffer, session in pairs(self.chats) do
    local chat = session == self.followed and (only or require('codecompanion').buf_get_chat(buffer))
    if chat and chat.bufnr == buffer then
      pcall(chats.complete, chat, self.groups, self.missing[buffer] or {})
    end
  end
end

---follow puts the tools of a session into the groups.
---@private
---@param session mcp_sidecar.Session
function Bridge:follow(session)
  if session == self.followed then return end
  self.followed = session
  self:register()
end

---entered: the user is in another buffer.
---@private
function Bridge:entered()
  local buffer = vim.api.nvim_get_current_buf()
  if self.chats[buffer] then return self:follow(self.chats[buffer]) end
  if self.options.root or vim.bo[buffer].buftype ~= '' then return end
  self:follow(sessions.current())
end

---@private
---@param buffer integer
function Bridge:chat_created(buffer)
  local session = self.followed
  self.chats[buffer] = session
  local defaults = (self.config.opts or {}).default_tools or {}
  self.missing[buffer] = vim.tbl_filter(function(name) return self.groups[name] == nil end, defaults)
  local chat = require('codecompanion').buf_get_chat(buffer)
  if chat and chat.add_callback then
    chat:add_callback('on_checkpoint', function(own) self:complete(own) end)
  end
  if not self.options.start or self.started[session.root] then return end
  self.started[session.root] = true
  if session:view().phase == 'stopped' then session:start() end
end

---chat_closed ends the calls of a chat. Nobody waits for what comes of them.
---@private
---@param buffer integer
function Bridge:chat_closed(buffer)
  self.chats[buffer], self.missing[buffer] = nil, nil
  for abandon, of in pairs(vim.tbl_extend('force', {}, self.running)) do
    if of == buffer then abandon() end
  end
end

---@private
function Bridge:listen()
  local group = vim.api.nvim_create_augroup('mcp_sidecar_codecompanion', {})
  local function on(event, pattern, callback)
    vim.api.nvim_create_autocmd(event, { group = group, pattern = pattern, callback = callback })
  end
  on({ 'BufEnter', 'DirChanged' }, nil, function() self:entered() end)
  on('User', 'CodeCompanionChatCreated', function(args) self:chat_created(args.data.bufnr) end)
  on('User', 'CodeCompanionChatClosed', function(args) self:chat_closed(args.data.bufnr) end)
  self.off = events.on('tools_changed', function()
    self:register()
    self:complete()
  end)
end

---checked are the options with the defaults; what is not known is told.
---@param options? mcp_sidecar.CodeCompanionOptions
---@return mcp_sidecar.CodeCompanionConfig
local function checked(options)
  for name in pairs(options or {}) do
    if DEFAULTS[name] == nil and not vim.list_contains(WITHOUT_DEFAULT, name) then
      say.warn(('the extension of codecompanion has no option "%s"'):format(tostring(name)))
    end
  end
  return vim.tbl_extend('force', DEFAULTS, options or {})
end

---@type mcp_sidecar.CodeCompanionBridge?
local current

---The part of codecompanion's configuration that has its tools; nil without codecompanion.
---@return table?
local function codecompanions_tools()
  local found, config = pcall(require, 'codecompanion.config')
  if not found then return nil end
  return vim.tbl_get(config, 'interactions', 'chat', 'tools')
    or vim.tbl_get(config, 'strategies', 'chat', 'tools') -- before 18
end

---setup registers the tools in codecompanion, which has been set up, and keeps them true. A second one takes the
---place of the first.
---@param options? mcp_sidecar.CodeCompanionOptions
function M.setup(options)
  local their_tools = codecompanions_tools()
  if not their_tools then return end
  if current then
    current.off()
    current:unregister()
  end
  local own = checked(options)
  local self = setmetatable({
    options = own,
    config = their_tools,
    chats = current and current.chats or {},
    running = current and current.running or {},
    entries = {},
    groups = {},
    group_entries = {},
    shown = {},
    missing = {},
    started = {},
  }, Bridge)
  self.place = function(name, chat) return self:where(name, chat) end
  self.followed = own.root and sessions.get(own.root) or sessions.current()
  current = self
  self:register()
  self:listen()
end

---groups are the names of those that hold MCP tools now, sorted.
---@return string[]
function M.groups()
  local names = vim.tbl_keys(current and current.groups or {})
  table.sort(names)
  return names
end

return M
