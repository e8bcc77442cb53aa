-- Logs as lines of a buffer. Pure.
local cells = require('mcp_sidecar.cells')

local M = {}

---Block is a piece of a buffer: lines, and their highlighting by row from 0 of the block.
---@alias mcp_sidecar.ui.Block { lines: string[], marks: mcp_sidecar.ui.Mark[] }

local groups = {
  stderr = 'McpLogStderr',
  debug = 'McpLogDebug',
  info = 'McpLogInfo',
  notice = 'McpLogInfo',
  warning = 'McpLogWarning',
  error = 'McpLogError',
  critical = 'McpLogError',
  alert = 'McpLogError',
  emergency = 'McpLogError',
}

-- The longest of MCP's levels, "emergency".
local word_width = 9

---Days from 1970-01-01 to a date of the Gregorian calendar.
---@param year integer
---@param month integer
---@param day integer
---@return integer
local function days(year, month, day)
  -- Years that begin in March have their leap day at the end.
  if month <= 2 then
    year, month = year - 1, month + 12
  end
  local leaps = math.floor(year / 4) - math.floor(year / 100) + math.floor(year / 400)
  return year * 365 + leaps + math.floor((month - 3) * 30.6 + 0.5) + day - 719469
end

---The local time of day of a moment. What is no time is left as it is.
---@param time any RFC 3339, or seconds since 1970
---@return string
function M.clock(time)
  if type(time) == 'number' then
    return os.date('%H:%M:%S', math.floor(time)) --[[@as string]]
  end
  time = tostring(time or '')
  local y, mo, d, h, mi, s, fraction, zone =
    time:match('^(%d+)-(%d+)-(%d+)[Tt ](%d+):(%d+):(%d+)(%.?%d*)(.*)$')
  if not y then return cells.visible(time) end
  local sign, zone_hours, zone_minutes = zone:match('^([+-])(%d%d):?(%d%d)$')
  local offset = sign and (tonumber(zone_hours) * 60 + tonumber(zone_minutes)) * 60 or 0
  local seconds = days(tonumber(y), tonumber(mo), tonumber(d)) * 86400 + h * 3600 + mi * 60 + s
  return os.date('%H:%M:%S', seconds - (sign == '-' and -offset or offset)) .. fraction
end

---@param block mcp_sidecar.ui.Block
---@param time string
---@param word string
---@param text string
---@param group string?
local function add(block, time, word, text, group)
  text = cells.plain(text):gsub('\r\n?', '\n'):gsub('\n+$', '')
  local head = ('%s %s '):format(time, cells.fill(cells.visible(word), word_width))
  for line in (text .. '\n'):gmatch('(.-)\n') do
    local row, first = #block.lines, head ~= ''
    -- What goes on in a second line is no line of its own.
    local prefix = first and head or (' '):rep(cells.width(time) + word_width + 2)
    block.lines[row + 1] = prefix .. cells.visible(line:gsub('\t', '  '))
    if first then
      table.insert(block.marks, { row = row, from = 0, to = #time, group = 'McpTime' })
      if group then
        table.insert(block.marks, { row = row, from = #time + 1, to = #time + 1 + #word, group = group })
      end
    end
    head = ''
  end
end

---Lines that a server wrote, to stderr or by MCP's logging.
---@param lines mcp_sidecar.LogLine[]
---@return mcp_sidecar.ui.Block
function M.server(lines)
  local block = { lines = {}, marks = {} }
  for _, line in ipairs(lines) do
    local word = line.source == 'log' and (line.level or 'log') or line.source
    add(block, M.clock(line.time), word, line.text, groups[word])
  end
  return block
end

---Lines of the sidecar's own log.
---@param entries { level: mcp_sidecar.LogLevel, message: string, server?: string, time: any }[]
---@return mcp_sidecar.ui.Block
function M.sidecar(entries)
  local block = { lines = {}, marks = {} }
  for _, entry in ipairs(entries) do
    local about = entry.server and ('[%s] '):format(cells.visible(entry.server)) or ''
    add(block, M.clock(entry.time), entry.level, about .. entry.message, groups[entry.level])
  end
  return block
end

---What stands above a log: that it is empty, that it could not be had, and what the server wrote to stdout that is
---no message.
---@param about { noise?: mcp_sidecar.Noise, problem?: string, empty?: boolean }
---@return mcp_sidecar.ui.Block
function M.heading(about)
  local block = { lines = {}, marks = {} }
  local function line(text, group)
    text = cells.visible(text)
    block.lines[#block.lines + 1] = text
    table.insert(block.marks, { row = #block.lines - 1, from = 0, to = #text, group = group })
  end
  if about.problem then line(about.problem, 'McpError') end
  local noise = about.noise
  if noise and noise.count > 0 then
    local words = noise.count == 1 and '1 line on stdout is no message of the protocol:'
      or ('%d lines on stdout are no messages of the protocol. Some of them:'):format(noise.count)
    line(words, 'McpLogNoise')
    for _, sample in ipairs(noise.samples) do
      line('  ' .. sample, 'McpLogNoise')
    end
  end
  if about.empty and #block.lines == 0 then line('Nothing yet.', 'McpMuted') end
  return block
end

return M
