-- Messages in a stream of bytes, as in LSP's base protocol: headers, an empty line, a body of Content-Length
-- bytes.

local M = {}

---A header block that goes on for longer than this is none.
local LONGEST_HEADERS = 8192
---A body of more bytes is no string in LuaJIT.
local LONGEST_BODY = 2 ^ 31 - 1024

---frame is the message as it is sent.
---@param body string
---@return string
function M.frame(body) return ('Content-Length: %d\r\n\r\n%s'):format(#body, body) end

---@class mcp_sidecar.FrameReader
---@field private chunks string[] what came and is not read yet
---@field private size integer bytes in chunks
---@field private want integer? length of the body that is being read; nil while headers are
local Reader = {}
Reader.__index = Reader

---@return mcp_sidecar.FrameReader
function M.reader() return setmetatable({ chunks = {}, size = 0 }, Reader) end

---begins: is this line a header of the protocol, or the beginning of one? Nothing else is waited for: a program
---that prints something else may never come to an end of it.
---@param line string
local function begins(line)
  line = line:lower():gsub('\r$', '')
  return line:match('^content%-length:[ \t]*%d*[ \t]*$') ~= nil
    or vim.startswith(line, 'content-type:')
    or vim.startswith('content-length:', line)
    or vim.startswith('content-type:', line)
end

---length_of reads a header block.
---@param block string without the empty line; also the beginning of one
---@param whole boolean
---@return integer? length of the body; nil if it is not known yet
---@return string? fault
local function length_of(block, whole)
  if #block > LONGEST_HEADERS then return nil, 'its headers do not end' end
  local length
  for _, line in ipairs(vim.split(block, '\r\n', { plain = true })) do
    if not begins(line) then return nil, 'it has a line that is no header' end
    length = length or tonumber(line:lower():match('^content%-length:[ \t]*(%d+)'))
  end
  if not whole then return nil end
  if not length then return nil, 'it has no Content-Length' end
  if length > LONGEST_BODY then return nil, ('it has %.0f bytes'):format(length) end
  return length
end

---read takes what came, and gives the bodies that are whole now. What is no frame is an error: there is no way
---to find the next one.
---@param chunk string
---@return string[] bodies
---@return string? fault
function Reader:read(chunk)
  self.chunks[#self.chunks + 1] = chunk
  self.size = self.size + #chunk
  local bodies = {}
  -- Joined only when it is enough: a large body comes in many chunks.
  if self.size < (self.want or 1) then return bodies end
  local text, at, fault = table.concat(self.chunks), 1, nil
  while not fault and #text - at + 1 >= (self.want or 1) do
    if self.want then
      bodies[#bodies + 1] = text:sub(at, at + self.want - 1)
      at, self.want = at + self.want, nil
    else
      local from, to = text:find('\r\n\r\n', at, true)
      local last = from and from - 1 or math.min(#text, at + LONGEST_HEADERS)
      self.want, fault = length_of(text:sub(at, last), from ~= nil)
      if not self.want then break end
      at = to + 1
    end
  end
  self.chunks, self.size = { text:sub(at) }, #text - at + 1
  return bodies, fault
end

---unread is the beginning of what came and is no message.
---@return string
function Reader:unread() return table.concat(self.chunks):sub(1, 200) end

return M
