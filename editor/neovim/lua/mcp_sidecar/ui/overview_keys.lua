-- The keys of the overview: one table from which they are mapped, and from which the help is made.
local M = {}

---@class mcp_sidecar.ui.OverviewKey
---@field keys string[] the first is the one that help lines name
---@field action string name of a function of overview_actions
---@field text string what it does, for the help
---@field short? string the same in a word or two: it is in the help line

---@alias mcp_sidecar.ui.OverviewKeys { title: string, keys: mcp_sidecar.ui.OverviewKey[] }[]

---@type mcp_sidecar.ui.OverviewKeys
M.sections = {
  {
    title = 'Looking',
    keys = {
      {
        keys = { '<CR>' },
        action = 'enter',
        short = 'open',
        text = 'on a server: expand or fold; on a tool: call it',
      },
      { keys = { '<Tab>', 'za' }, action = 'toggle', text = 'expand or fold a server, a tool or a message' },
      { keys = { 'K', 'zo' }, action = 'expand', text = 'expand: what a tool does and takes' },
      { keys = { 'zc' }, action = 'fold', text = 'fold' },
      { keys = { 'zR' }, action = 'expand_all', text = 'expand all servers' },
      { keys = { 'zM' }, action = 'fold_all', text = 'fold everything' },
      { keys = { ']]' }, action = 'next_server', text = 'next server' },
      { keys = { '[[' }, action = 'previous_server', text = 'previous server' },
      {
        keys = { 'y' },
        action = 'copy',
        text = 'copy the name of the server or tool, or the text of a message',
      },
      { keys = { 'o' }, action = 'open_file', text = 'open the configuration file at the entry' },
      { keys = { 'l' }, action = 'server_log', short = 'log', text = 'log of the server' },
      { keys = { 'L' }, action = 'sidecar_log', text = 'log of the sidecar' },
    },
  },
  {
    title = 'A server',
    keys = {
      {
        keys = { 'r' },
        action = 'reconnect',
        short = 'reconnect',
        text = 'reconnect: stop it and start it again',
      },
      { keys = { 'c' }, action = 'connect', text = 'connect' },
      { keys = { 'd' }, action = 'disconnect', text = 'disconnect' },
      {
        keys = { 'x' },
        action = 'switch',
        short = 'off/on',
        text = 'switch the server or the tool off or on, in this project',
      },
      {
        keys = { 't' },
        action = 'trust',
        short = 'trust',
        text = 'decide which servers of this project may run',
      },
    },
  },
  {
    title = 'The session',
    keys = {
      { keys = { 'R' }, action = 'reload', text = 'read the configuration again, and reconnect all servers' },
      { keys = { 's' }, action = 'start', text = 'start the sidecar' },
      { keys = { 'S' }, action = 'restart', text = 'restart the sidecar' },
      { keys = { '?', 'g?' }, action = 'help', short = 'keys', text = 'these keys; again: back' },
      { keys = { 'q', '<Esc>' }, action = 'close', short = 'close', text = 'close' },
    },
  },
}

---The help line: as many keys as there is room for. The last two, help and closing, are always there.
---@param width integer cells
---@return string
function M.help_line(width)
  local words = {} ---@type string[]
  for _, section in ipairs(M.sections) do
    for _, key in ipairs(section.keys) do
      if key.short then words[#words + 1] = ('%s %s'):format(key.keys[1], key.short) end
    end
  end
  local line = table.concat(words, '  ')
  while #words > 2 and #line > width - 2 do
    table.remove(words, #words - 2)
    line = table.concat(words, '  ')
  end
  return ' ' .. line .. ' '
end

return M
