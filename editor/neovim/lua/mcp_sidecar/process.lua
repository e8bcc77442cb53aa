-- A sidecar as a child process: frames on its stdin and stdout, and the end of its stderr for the sentence
-- that says how it ended. Its listener is told on the main loop, everything in order.
--
-- The child leads a session of its own, so that Ctrl-C on a terminal is the editor's alone. When the editor is
-- gone, however it went, the child's stdin is closed, and that ends it and its servers.

local framing = require('mcp_sidecar.framing')

---How long a process may live on that was told to end, before each harder way of telling it.
local GRACE_MS = 3000
---How much of stderr is kept, in bytes.
local TAIL = 4096
---How many of its lines are told.
local TELLING = 5

---@class mcp_sidecar.Process: mcp_sidecar.Transport
---@field pid integer
---@field spoke boolean it sent a message
---@field private binary string
---@field private system vim.SystemObj
---@field private listener { message: fun(body: string), ended: fun(reason: string, exit?: table) }
---@field private reader mcp_sidecar.FrameReader
---@field private stderr string
---@field private told boolean the listener knows of the end
---@field private fault? string what is wrong with what it sent
---@field private timer? uv.uv_timer_t
local Process = {}
Process.__index = Process

local M = {}

---The line with which a Go program begins to say why it crashes. Where its goroutines were comes after it.
local function is_crash(line) return line:match('^panic: ') or line:match('^fatal error: ') end

---telling picks the lines that say why a program ended: those of its crash, or the last ones.
---@param stderr string
---@return string[]
function M.telling(stderr)
  local lines = vim.tbl_filter(function(line) return vim.trim(line) ~= '' end, vim.split(stderr, '\r?\n'))
  for i, line in ipairs(lines) do
    if is_crash(line) then return vim.list_slice(lines, i, i + TELLING - 1) end
  end
  return vim.list_slice(lines, math.max(1, #lines - TELLING + 1))
end

---sentence says how a process ended.
---@param facts { binary: string, code?: integer, signal?: integer, spoke: boolean, unread: string, fault?: string, stderr: string }
---@return string
function M.sentence(facts)
  local said = vim.tbl_map(function(line) return '\n  stderr: ' .. line end, M.telling(facts.stderr))
  local tail = table.concat(said)
  if not facts.spoke and facts.unread ~= '' then
    local hint = tail ~= '' and tail or '. Is it mcp-sidecar?'
    return ('%s does not speak the protocol: it printed %s%s'):format(
      facts.binary,
      vim.inspect(facts.unread),
      hint
    )
  end
  local how = 'is of no use any more'
  if facts.fault then
    how = ('sent what is no message (%s): %s'):format(facts.fault, vim.inspect(facts.unread))
  elseif (facts.signal or 0) ~= 0 then
    how = ('was killed by signal %d'):format(facts.signal)
  elseif facts.code then
    how = ('ended with exit code %d'):format(facts.code)
  end
  if not facts.spoke then how = how .. ' before it said anything' end
  return ('the sidecar (%s) %s%s'):format(facts.binary, how, tail)
end

---reason is what vim.system fails with, without the place in Neovim's own sources before it, and the path after it.
---@param fault string
---@return string
function M.reason(fault)
  local reason = (fault:match('E%u+: [^\n]*') or fault):gsub(" %(cmd%): '.*'$", '')
  return reason
end

---not_started says why a program that is there could not be started.
---@param path string
---@param fault string what Neovim says
---@return string
local function not_started(path, fault)
  local what = M.reason(fault)
  if what:match('^ENOENT') then
    what = what
      .. '. It is there: the interpreter in its first line, or the loader that it is built for, is not'
  end
  return ('cannot start %s: %s'):format(path, what)
end

---start starts the program. If that fails, it gives the reason.
---@param cmd string[]
---@param options { cwd?: string, env?: table<string, string> }
---@return mcp_sidecar.Process? process
---@return string? why
function M.start(cmd, options)
  local self = setmetatable({
    binary = cmd[1],
    reader = framing.reader(),
    stderr = '',
    spoke = false,
    told = false,
  }, Process)
  local ok, system = pcall(vim.system, cmd, {
    cwd = options.cwd,
    env = options.env,
    stdin = true,
    stdout = function(_, chunk)
      if chunk then self:read(chunk) end
    end,
    stderr = function(_, chunk)
      if chunk then self:hear(chunk) end
    end,
    detach = vim.fn.has('win32') == 0,
  }, function(result) self:exited(result) end)
  if not ok then return nil, not_started(cmd[1], tostring(system)) end
  self.system, self.pid = system, system.pid
  return self
end

---listen says who is told.
---@param listener { message: fun(body: string), ended: fun(reason: string, exit?: table) }
function Process:listen(listener) self.listener = listener end

---@param body string
function Process:send(body)
  if self.told or self.system:is_closing() then return end
  pcall(self.system.write, self.system, framing.frame(body)) -- it may have ended in this very moment
end

---close tells the process to end: by the end of its input and SIGTERM, then by SIGKILL, which its guard answers
---for its servers.
function Process:close()
  if self.told or self.timer then return end
  pcall(self.system.write, self.system, nil)
  self:kill('sigterm')
  self.timer = assert(vim.uv.new_timer())
  self.timer:start(GRACE_MS, GRACE_MS, function()
    -- One that is gone and left its output to a child that lives on would never be told of.
    if self.system:is_closing() then return self:exited({}) end
    self:kill('sigkill')
  end)
end

---@private
function Process:kill(signal)
  if not self.system:is_closing() then pcall(self.system.kill, self.system, signal) end
end

---read runs in a fast context.
---@private
function Process:read(chunk)
  if self.fault then return end
  local bodies, fault = self.reader:read(chunk)
  self.spoke = self.spoke or #bodies > 0
  self.fault = fault
  for _, body in ipairs(bodies) do
    vim.schedule(function()
      if not self.told then self.listener.message(body) end
    end)
  end
  if fault then vim.schedule(function() self:close() end) end
end

---@private
function Process:hear(chunk)
  self.stderr = self.stderr .. chunk
  -- Of a crash the beginning is kept, which says why; of everything else the end.
  if #self.stderr > TAIL and not is_crash(self.stderr) then
    local crash = self.stderr:find('\npanic: ', 1, true) or self.stderr:find('\nfatal error: ', 1, true)
    self.stderr = crash and self.stderr:sub(crash + 1) or self.stderr:sub(-TAIL)
  elseif #self.stderr > TAIL then
    self.stderr = self.stderr:sub(1, TAIL)
  end
end

---exited runs in a fast context, when the process has ended and its pipes were read to their ends.
---@private
---@param result { code?: integer, signal?: integer }
function Process:exited(result)
  vim.schedule(function()
    if self.told then return end
    self.told = true
    -- Only now: until it is told, somebody may close it.
    if self.timer then
      self.timer:stop()
      self.timer:close()
    end
    local facts = {
      binary = self.binary,
      code = result.code,
      signal = result.signal,
      spoke = self.spoke,
      unread = self.reader:unread(),
      fault = self.fault,
      stderr = self.stderr,
    }
    self.listener.ended(M.sentence(facts), { code = result.code, signal = result.signal })
  end)
end

return M
