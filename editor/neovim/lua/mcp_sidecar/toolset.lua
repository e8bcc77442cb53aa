-- The tool set that a host knows, and what each message of the sidecar makes of it: pure functions over values
-- that are never changed. The rule is that of rpc/PROTOCOL.md, "Keeping the tool set".

local M = {}

---@class mcp_sidecar.ToolSet
---@field revision integer
---@field hash string
---@field tools mcp_sidecar.Tool[] the same table as long as nothing in it changes
---@field servers mcp_sidecar.Server[]
---@field errors mcp_sidecar.Diagnostic[]
---@field exa_api_keys string[]

---What a host knows that was told nothing yet.
---@type mcp_sidecar.ToolSet
M.NOTHING = { revision = 0, hash = '', tools = {}, servers = {}, errors = {}, exa_api_keys = {} }

---The state of a server's tools, by where they are from. Those of one that lists none are on their way out.
local STATES = { live = 'live', cache = 'deferred' }

---@generic T
---@param items T[]
---@return T[] sorted by name, by bytes as the sidecar does
local function by_name(items)
  local sorted = vim.list_slice(items)
  table.sort(sorted, function(a, b) return a.name < b.name end)
  return sorted
end

local function with(set, members) return vim.tbl_extend('force', set, members) end

---@param set mcp_sidecar.ToolSet
---@return mcp_sidecar.ToolsChange
local function change_of(set, added, updated, removed, servers, reason)
  return {
    tools = set.tools,
    added = added,
    updated = updated,
    removed = removed,
    servers = servers,
    reason = reason,
    revision = set.revision,
    hash = set.hash,
  }
end

---after_push decides about one tools/changed. "gap": only a whole snapshot helps.
---@param set mcp_sidecar.ToolSet
---@param push mcp_sidecar.ToolsChanged
---@return mcp_sidecar.ToolSet|"gap" set
---@return mcp_sidecar.ToolsChange? change
function M.after_push(set, push)
  if push.revision <= set.revision then return set end
  if push.previousRevision ~= set.revision then return 'gap' end
  local gone = {}
  for _, name in ipairs(push.removed) do
    gone[name] = true
  end
  local tools = {}
  for _, list in ipairs({ push.added, push.updated }) do
    for _, tool in ipairs(list) do
      gone[tool.name] = true
      tools[#tools + 1] = tool
    end
  end
  for _, tool in ipairs(set.tools) do
    if not gone[tool.name] then tools[#tools + 1] = tool end
  end
  local after = with(set, { revision = push.revision, hash = push.hash, tools = by_name(tools) })
  return after, change_of(after, push.added, push.updated, push.removed, push.servers, push.reason)
end

local function equal_but_state(a, b) return vim.deep_equal(with(a, { state = '' }), with(b, { state = '' })) end

local function same_elements(a, b)
  if #a ~= #b then return false end
  for i, element in ipairs(a) do
    if element ~= b[i] then return false end
  end
  return true
end

---@return string[] the servers of these tools, sorted
local function servers_of(...)
  local servers = {}
  for _, tools in ipairs({ ... }) do
    for _, tool in ipairs(tools) do
      servers[tool.server] = true
    end
  end
  local names = vim.tbl_keys(servers)
  table.sort(names)
  return names
end

---compare sorts tools into those that came, those that are others, and those that went. One that is the same
---keeps its table.
---@param before mcp_sidecar.Tool[]
---@param after mcp_sidecar.Tool[]
---@param same_tools? boolean but for their state
local function compare(before, after, same_tools)
  local known, added, updated = {}, {}, {}
  for _, tool in ipairs(before) do
    known[tool.name] = tool
  end
  local tools = by_name(after)
  for i, tool in ipairs(tools) do
    local old = known[tool.name]
    known[tool.name] = nil
    if not old then
      added[#added + 1] = tool
    elseif not same_tools and not equal_but_state(old, tool) then
      updated[#updated + 1] = tool
    elseif old.state == tool.state then
      tools[i] = old
    end
  end
  return tools, added, updated, by_name(vim.tbl_values(known))
end

---@return mcp_sidecar.ToolsChange?
local function difference(set, added, updated, gone, reason)
  if #added + #updated + #gone == 0 then return nil end
  local removed = vim.tbl_map(function(tool) return tool.name end, gone)
  return change_of(set, added, updated, removed, servers_of(added, updated, gone), reason)
end

---after_snapshot takes a whole set, unless it is older than what is known. The first one is not a change.
---@param set mcp_sidecar.ToolSet
---@param snapshot mcp_sidecar.Snapshot
---@param reason mcp_sidecar.ChangeReason|"snapshot"
---@return mcp_sidecar.ToolSet set
---@return mcp_sidecar.ToolsChange? change
function M.after_snapshot(set, snapshot, reason)
  if snapshot.revision < set.revision then return set end
  local tools, added, updated, gone = compare(set.tools, snapshot.tools, snapshot.hash == set.hash)
  local after = {
    revision = snapshot.revision,
    hash = snapshot.hash,
    tools = same_elements(tools, set.tools) and set.tools or tools,
    servers = by_name(snapshot.servers),
    errors = snapshot.errors,
    exa_api_keys = snapshot.exaApiKeys or {},
  }
  if set.revision == 0 then return after end
  return after, difference(after, added, updated, gone, reason)
end

---between is the change from one list of tools to the set of another session; nil if there is none.
---@param tools mcp_sidecar.Tool[]
---@param set mcp_sidecar.ToolSet
---@param reason "snapshot"|"stopped"
---@return mcp_sidecar.ToolsChange?
function M.between(tools, set, reason)
  local _, added, updated, gone = compare(tools, set.tools)
  return difference(set, added, updated, gone, reason)
end

---after_status takes the record of one server. Where its tools are from is told by nothing else.
---@param set mcp_sidecar.ToolSet
---@param server mcp_sidecar.Server
---@return mcp_sidecar.ToolSet
function M.after_status(set, server)
  local servers = vim.tbl_filter(function(other) return other.name ~= server.name end, set.servers)
  if server.phase ~= 'removed' then servers[#servers + 1] = server end
  local after = with(set, { servers = by_name(servers) })
  local state = STATES[server.tools.from]
  if not state then return after end
  local changed = false
  local tools = vim.tbl_map(function(tool)
    if tool.server ~= server.name or tool.state == state then return tool end
    changed = true
    return with(tool, { state = state })
  end, set.tools)
  if changed then after.tools = tools end
  return after
end

---after_diagnostics takes the list of all errors.
---@param set mcp_sidecar.ToolSet
---@param errors mcp_sidecar.Diagnostic[]
---@return mcp_sidecar.ToolSet
function M.after_diagnostics(set, errors) return with(set, { errors = errors }) end

return M
