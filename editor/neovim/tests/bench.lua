-- Prints how much longer it takes to read the same bytes in one piece of work than in sixteen: about as long, where a
-- slip that makes a square of it would need 16 times as long. For who reads it, since it depends on the machine.
local framing = require('mcp_sidecar.framing')

local PARTS = 16

---@param fn fun(size: integer)
---@param size integer
---@param times integer
---@return number
local function best(fn, size, times)
  local shortest = math.huge
  for _ = 1, 5 do
    local from = vim.uv.hrtime()
    for _ = 1, times do
      fn(size)
    end
    shortest = math.min(shortest, vim.uv.hrtime() - from)
  end
  return shortest
end

---@param what string
---@param fn fun(size: integer)
---@param size integer
local function compare(what, fn, size)
  local parts = best(fn, size, PARTS)
  local whole = best(fn, size * PARTS, 1)
  io.stdout:write(('neovim framing, %s: %.1f times as long\n'):format(what, whole / parts))
end

local PIECE = ('x'):rep(4096)
compare('one message instead of 16 smaller ones', function(pieces)
  local reader = framing.reader()
  reader:read(('Content-Length: %d\r\n\r\n'):format(pieces * #PIECE))
  local messages = 0
  for _ = 1, pieces do
    messages = messages + #reader:read(PIECE)
  end
  assert(messages == 1)
end, 800)

local MESSAGE = framing.frame('{"jsonrpc":"2.0"}')
compare(
  'one piece with 16 times as many messages',
  function(number) assert(#framing.reader():read(MESSAGE:rep(number)) == number) end,
  500
)
