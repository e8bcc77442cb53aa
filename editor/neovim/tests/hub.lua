-- The test's end of the socket over which fake servers report what happens to them, and wait while they are held:
-- the protocol of conformance/control. A connection lives exactly as long as its process, so that its end shows
-- the process's own, also when that was killed.
--
-- What comes is taken in fast context, so that fakes are answered also while the test waits for a child Neovim.
local await = require('patience').await

---A line on the socket. Of a fake: hello, event or hold.
---@class mcp_sidecar.test.Line
---@field hello? string
---@field pid? integer
---@field event? string
---@field hold? string
---@field seq? integer

---@class mcp_sidecar.test.FakeProcess
---@field name string
---@field pid integer
---@field socket uv.uv_pipe_t

---@class mcp_sidecar.test.Hub
---@field private pipe uv.uv_pipe_t
---@field private events string[] everything so far, in order: "NAME EVENT"
---@field private awaited table<string, integer> how many of an event were awaited already
---@field private spawns table<string, integer> processes so far, by name
---@field private living mcp_sidecar.test.FakeProcess[] oldest first
---@field private held table<string, { process: mcp_sidecar.test.FakeProcess, seq: integer }[]> oldest first
---@field private released table<string, integer> releases that nobody has waited for yet
local Hub = {}
Hub.__index = Hub

---@param process mcp_sidecar.test.FakeProcess
---@param message table
local function answer(process, message)
  -- One that was killed in between cannot be told; its end is seen elsewhere.
  if not process.socket:is_closing() then process.socket:write(vim.json.encode(message) .. '\n') end
end

---@param path string
---@return mcp_sidecar.test.Hub
function Hub.listen(path)
  local self = setmetatable({
    pipe = assert(vim.uv.new_pipe(false)),
    events = {},
    awaited = {},
    spawns = {},
    living = {},
    held = {},
    released = {},
  }, Hub)
  assert(self.pipe:bind(path))
  assert(self.pipe:listen(128, function(err)
    assert(not err, err)
    self:accept()
  end))
  return self
end

---close hangs up on every fake, which ends it.
function Hub:close()
  if not self.pipe:is_closing() then self.pipe:close() end
  for _, process in ipairs(self.living) do
    if not process.socket:is_closing() then process.socket:close() end
  end
  self.living = {}
end

---saw waits until an event has happened once more than it was awaited before: `saw('a got tools/call echo')`.
---@param event string
function Hub:saw(event)
  local awaited = (self.awaited[event] or 0) + 1
  self.awaited[event] = awaited
  local function what()
    return ('"%s", %d times by now; what happened:\n%s'):format(event, awaited, self:trace())
  end
  await(what, function() return self:count(event) >= awaited end)
end

---count is how often it has happened so far. Its first words are enough.
---@param event string
---@return integer
function Hub:count(event)
  local count = 0
  for _, seen in ipairs(self.events) do
    if seen == event or vim.startswith(seen, event .. ' ') then count = count + 1 end
  end
  return count
end

---release lets one hold of that name go: the oldest that waits, else the next that comes.
---@param fake string
---@param hold string
function Hub:release(fake, hold)
  local key = fake .. ' ' .. hold
  local waiting = table.remove(self.held[key] or {}, 1)
  if waiting then
    answer(waiting.process, { ok = true, seq = waiting.seq })
  else
    self.released[key] = (self.released[key] or 0) + 1
  end
end

---pids are the processes of a fake that live; of every fake if none is named.
---@param fake? string
---@return integer[]
function Hub:pids(fake)
  local pids = {}
  for _, process in ipairs(self.living) do
    if not fake or process.name == fake then table.insert(pids, process.pid) end
  end
  return pids
end

---empty waits until no process of a fake is left.
function Hub:empty()
  local function what()
    return ('the fakes %s to end; what happened:\n%s'):format(vim.inspect(self:pids()), self:trace())
  end
  await(what, function() return #self.living == 0 end)
end

---trace is everything that happened, for a failing test's message.
---@return string
function Hub:trace() return #self.events == 0 and '  nothing' or '  ' .. table.concat(self.events, '\n  ') end

---@private
function Hub:accept()
  local socket = assert(vim.uv.new_pipe(false))
  assert(self.pipe:accept(socket))
  local process ---@type mcp_sidecar.test.FakeProcess?
  local unread = ''
  socket:read_start(function(_, bytes)
    if not bytes then
      if not socket:is_closing() then socket:close() end
      if process then self:farewell(process) end
      return
    end
    unread = unread .. bytes
    for line in unread:gmatch('([^\n]*)\n') do
      local message = vim.json.decode(line) ---@type mcp_sidecar.test.Line
      if process then
        self:take(process, message)
      else
        process = self:welcome(socket, message)
      end
    end
    unread = unread:match('[^\n]*$')
  end)
end

---@private
---@param socket uv.uv_pipe_t
---@param hello mcp_sidecar.test.Line
---@return mcp_sidecar.test.FakeProcess
function Hub:welcome(socket, hello)
  local process = { name = hello.hello, pid = hello.pid, socket = socket }
  local spawn = (self.spawns[process.name] or 0) + 1
  self.spawns[process.name] = spawn
  table.insert(self.living, process)
  table.insert(self.events, process.name .. ' started')
  answer(process, { ok = true, spawn = spawn })
  return process
end

---@private
---@param process mcp_sidecar.test.FakeProcess
function Hub:farewell(process)
  self.living = vim.tbl_filter(function(one) return one ~= process end, self.living)
  for key, holds in pairs(self.held) do
    self.held[key] = vim.tbl_filter(function(hold) return hold.process ~= process end, holds)
  end
  table.insert(self.events, process.name .. ' gone')
end

---@private
---@param process mcp_sidecar.test.FakeProcess
---@param message mcp_sidecar.test.Line
function Hub:take(process, message)
  if not message.hold then
    table.insert(self.events, process.name .. ' ' .. message.event)
    answer(process, { ok = true, seq = message.seq })
    return
  end
  local key = process.name .. ' ' .. message.hold
  table.insert(self.events, process.name .. ' holding ' .. message.hold)
  if (self.released[key] or 0) > 0 then
    self.released[key] = self.released[key] - 1
    answer(process, { ok = true, seq = message.seq })
    return
  end
  self.held[key] = self.held[key] or {}
  table.insert(self.held[key], { process = process, seq = message.seq })
end

return Hub
