-- What the dialog about a project's servers says: pure.

local M = {}

---printable shows what would break a line, or hide, as it would be written in a string.
---@param text string
---@return string
function M.printable(text)
  -- Control characters, and those of Unicode that turn or hide text (bidi marks, zero width, tags).
  return (
    text
      :gsub('%c', function(char) return ('\\x%02x'):format(char:byte()) end)
      :gsub('\226\128[\139-\143\168-\174]', '\\u{20XX}')
      :gsub('\226\129[\160-\175]', '\\u{206X}')
      :gsub('\239\187\191', '\\u{feff}')
      :gsub('\243\160[\128-\191][\128-\191]', '\\u{eXXXX}')
  )
end

---quoted is a word of a command line as a shell would need it.
local function quoted(word)
  word = M.printable(word)
  if word:match('^[%w%-_./:=@%%+,]+$') then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

---command_of is what the server would run or contact, as it is written.
---@param server mcp_sidecar.ProjectServer
---@return string
function M.command_of(server)
  if not server.command then return M.printable(server.url or '?') end
  local words = { quoted(server.command) }
  for _, word in ipairs(server.args or {}) do
    words[#words + 1] = quoted(word)
  end
  return table.concat(words, ' ')
end

local WORDS = {
  allow = 'allowed',
  deny = 'denied',
  later = 'not decided',
}

local function pairs_line(label, values)
  local names = vim.tbl_keys(values or {})
  if #names == 0 then return nil end
  table.sort(names)
  local parts = vim.tbl_map(
    function(name) return ('%s=%s'):format(M.printable(name), quoted(values[name])) end,
    names
  )
  return ('      %s %s'):format(label, table.concat(parts, ' '))
end

---@class mcp_sidecar.TrustLines
---@field lines string[]
---@field marks { line: integer, from: integer, to: integer, group: string }[] zero-based line, byte columns
---@field servers table<integer, integer> the server (its index) that a line (one-based) is about

---render shows the servers with what was chosen for each.
---@param servers mcp_sidecar.ProjectServer[]
---@param chosen table<integer, mcp_sidecar.Decision> by index
---@param project string
---@return mcp_sidecar.TrustLines
function M.render(servers, chosen, project)
  local out = { lines = {}, marks = {}, servers = {} }
  local function add(text, group, index)
    out.lines[#out.lines + 1] = text
    if group then
      out.marks[#out.marks + 1] = { line = #out.lines - 1, from = 0, to = #text, group = group }
    end
    if index then out.servers[#out.lines] = index end
  end
  add(('Files of %s name these servers.'):format(M.printable(project)), 'McpTitle')
  add('One that is allowed runs as you do, now and in later sessions, as it is written here.', 'McpMuted')
  for index, server in ipairs(servers) do
    add('')
    local decision = chosen[index] or 'later'
    local box = ({ allow = '[+]', deny = '[-]', later = '[ ]' })[decision]
    local group = ({ allow = 'McpReady', deny = 'McpFailed', later = 'McpWaiting' })[decision]
    add(('%s %s   %s'):format(box, M.printable(server.name), WORDS[decision]), group, index)
    add(('      %s  %s'):format(server.command and 'runs' or 'contacts', M.command_of(server)), nil, index)
    if server.cwd then add(('      in    %s'):format(M.printable(server.cwd)), nil, index) end
    for _, line in ipairs({ pairs_line('env  ', server.env), pairs_line('headers', server.headers) }) do
      add(line, nil, index)
    end
    if #(server.uses or {}) > 0 then
      local uses = vim.tbl_map(M.printable, server.uses)
      add(('      uses  %s'):format(table.concat(uses, ', ')), 'McpMuted', index)
    end
    add(('      file  %s'):format(M.printable(server.path)), 'McpMuted', index)
  end
  add('')
  add('a allow   d deny   l later   A/D all   o show file   <CR> done   q close', 'McpMuted')
  return out
end

return M
