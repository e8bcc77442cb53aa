-- A clock that stands still until a test moves it on: timers, vim.defer_fn() (which makes one), vim.uv.now() and
-- vim.uv.hrtime(). Time then takes no time, and a test knows at what moment everything happens, and what does not.
--
--   local clock = Clock.install_in(child)    a child Neovim's time; in this Neovim: Clock.install()
--   clock:advance(300)
--
-- Timers run as libuv runs them: in the order in which they are due, where only what is api-fast is allowed. Between
-- two of them Neovim does what was scheduled, and takes keys. Time cannot pass while a child is blocked, since it
-- then takes no requests. What waits for other processes, vim.wait() and vim.fn.timer_start() go by real time.
local patience = require('patience')

local M = {}

---@class mcp_sidecar.test.Timer
---@field due? integer ms, while it runs
---@field private number integer of its start: who was started first runs first
---@field private period integer
---@field private callback fun()
---@field private closed boolean
local Timer = {}
Timer.__index = Timer

---The timers that run.
---@type table<mcp_sidecar.test.Timer, true>
local running = {}
local time, starts = 0, 0
---What is replaced, while it is.
---@type table<string, function>?
local real

function Timer:start(timeout, period, callback)
  assert(not self.closed, 'the timer is closed')
  starts = starts + 1
  self.due, self.number, self.period, self.callback = time + timeout, starts, period, callback
  running[self] = true
  return 0
end

function Timer:stop()
  running[self], self.due = nil, nil
  return 0
end

function Timer:close()
  assert(not self.closed, 'the timer is closed')
  self:stop()
  self.closed = true
end

function Timer:is_active() return self.due ~= nil end

function Timer:is_closing() return self.closed end

---run is its turn.
---@private
function Timer:run()
  if self.period > 0 then
    self:start(self.period, self.period, self.callback)
  else
    self:stop()
  end
  self.callback()
end

---@param limit integer
---@return mcp_sidecar.test.Timer?
local function next_until(limit)
  local first ---@type mcp_sidecar.test.Timer?
  for timer in pairs(running) do
    if
      timer.due <= limit
      and (not first or timer.due < first.due or timer.due == first.due and timer.number < first.number)
    then
      first = timer
    end
  end
  return first
end

---fast calls a function in a callback of libuv. It lets nothing else happen meanwhile but what is api-fast.
---@param callback fun()
local function fast(callback)
  local timer, called = assert(real.new_timer()), false
  timer:start(0, 0, function()
    timer:close()
    called = true
    callback()
  end)
  vim.wait(patience.PATIENCE, function() return called end, 1, true)
  assert(called, 'the timer did not run')
end

---replace stops the time of this Neovim.
---@return integer now
function M.replace()
  assert(not real, 'time stands still already')
  real = { new_timer = vim.uv.new_timer, now = vim.uv.now, hrtime = vim.uv.hrtime }
  running, time = {}, real.now()
  vim.uv.new_timer = function() return setmetatable({ closed = false }, Timer) end
  vim.uv.now = function() return time end
  vim.uv.hrtime = function() return time * 1e6 end
  return time
end

---step runs the next timer that is due until the limit, and gives the time that it is then. If there is none, it is
---the limit.
---@param limit integer
---@return integer|false
function M.step(limit)
  local timer = next_until(limit)
  time = timer and math.max(time, timer.due) or limit
  if not timer then return false end
  fast(function() timer:run() end)
  return time
end

---@class mcp_sidecar.test.Clock
---@field private time integer
---@field private step fun(limit: integer): integer|false
---@field private turn fun(): boolean lets everything happen that is scheduled; whether a key is waited for then
local Clock = {}
Clock.__index = Clock

---Lets everything happen that is scheduled, and what that schedules.
---@private
function Clock:settle()
  local blocked
  for _ = 1, 5 do
    blocked = self.turn()
  end
  return blocked
end

---advance lets time pass.
---@param ms integer
function Clock:advance(ms)
  local limit = self.time + ms
  repeat
    if self:settle() then
      if self.time == limit then return end
      error(('Neovim waits for a key, and %d ms are left'):format(limit - self.time), 0)
    end
    local ran = self.step(limit)
    self.time = ran or limit
  until not ran
end

---install stops the time of this Neovim, until `remove`.
---@return mcp_sidecar.test.Clock
function M.install()
  local function turn()
    local turned = false
    vim.schedule(function() turned = true end)
    vim.wait(patience.PATIENCE, function() return turned end, 1)
    return false
  end
  return setmetatable({ time = M.replace(), step = M.step, turn = turn }, Clock)
end

---remove lets time pass by itself again. Timers that still run never end.
function Clock.remove()
  for name, fn in pairs(real) do
    vim.uv[name] = fn
  end
  real = nil
end

---install_in stops the time of a child Neovim, for as long as it lives.
---@param child table MiniTest's
---@return mcp_sidecar.test.Clock
function M.install_in(child)
  return setmetatable({
    time = child.lua([[return require('clock').replace()]]),
    step = function(limit) return child.lua([[return require('clock').step(...)]], { limit }) end,
    -- It answers that after everything that came before, also when one of it blocks.
    turn = child.is_blocked,
  }, Clock)
end

return M
