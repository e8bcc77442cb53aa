-- Every transcript of conformance/, played to the client with the sidecar's side.

local failure = require('replay.failure')
local folder = require('replay.folder')
local player = require('replay.player')
local transcript = require('replay.transcript')

---Those with raw bytes or MCP are not about clients, those with guests are about several at once.
local function is_other(step)
  return step.verb == 'raw' or step.verb == 'attach' or (step.verb == 'start' and step.args[1] == 'mcp')
end

---Makes a case of each dialogue of a folder, and one that says that there are some.
local function set_of(directory, least)
  local T = MiniTest.new_set()
  local played = 0
  for _, file in ipairs(folder.dialogues(directory)) do
    local read = transcript.read(file.text, folder.expand)
    if not vim.iter(read.steps):any(is_other) then
      played = played + 1
      T[file.name] = function()
        local held, problem = pcall(player.play, read)
        if held then return end
        local line = failure.is(problem) and ':' .. problem.line or ''
        error(('%s%s: %s'):format(file.path, line, failure.is(problem) and problem.message or problem), 0)
      end
    end
  end
  T['has dialogues'] = function()
    if played < least then error(('%s has only %d that are played'):format(directory, played)) end
  end
  return T
end

local T = MiniTest.new_set()
T['what a real sidecar says'] = set_of('conformance/transcripts', 60)
T['what no sidecar says yet'] = set_of('conformance/clients', 13)
return T
