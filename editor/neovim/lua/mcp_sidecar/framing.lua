-- Messages in a stream of bytes, as in LSP's base protocol: headers, an empty line, a body of Content-Length
-- bytes.

local M = {}

---A header block that goes on for longer than this is none.
local LONGEST_HEADERS = 8192

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
  while self.size >= (self.want or 1) do
    local text = table.concat(self.chunks)
    local rest
    if self.want then
      bodies[#bodies + 1] = text:sub(1, self.want)
      rest = text:sub(self.want + 1)
      self.want = nil
    else
      local from, to = text:find('\r\n\r\n', 1, true)
      self.chunks, self.size = { text }, #text
      if not from then
        if #text > LONGEST_HEADERS then return bodies, 'what it sent has no headers' end
        return bodies
      end
      self.want = tonumber(('\r\n' .. text:sub(1, from - 1)):lower():match('\r\ncontent%-length:%s*(%d+)'))
      if not self.want then return bodies, 'what it sent has no Content-Length' end
      rest = text:sub(to + 1)
    end
    self.chunks, self.size = { rest }, #rest
  end
  return bodies
end

---unread is the beginning of what came and is no message.
---@return string
function Reader:unread() return table.concat(self.chunks):sub(1, 200) end

return M
