-- The tools of a session for Anthropic's Messages. Ask for the tools again in each request, and they are those
-- of the moment:
--
--   local tools, dispatch = anthropic.tools(session)
--   request({ messages = messages, tools = tools }, function(message)
--     dispatch(message.content, function(results)
--       vim.list_extend(messages, { message, { role = 'user', content = results } }) …
--     end)
--   end)

local answer = require('mcp_sidecar.adapters.answer')
local content = require('mcp_sidecar.adapters.content')
local input_schema = require('mcp_sidecar.adapters.input_schema')
local of_tool = require('mcp_sidecar.tool')
local offer = require('mcp_sidecar.adapters.offer')

local M = {}

---@alias mcp_sidecar.AnthropicDispatch fun(content: table[]?, callback: fun(results: table[])): mcp_sidecar.Cancel

---@param part mcp_sidecar.Part
---@return table
local function result_block(part)
  part = content.fitting(part)
  if part.type == 'text' then return { type = 'text', text = part.text } end
  local is_image = part.type == 'image'
  local media_type = is_image and part.mime_type or 'application/pdf'
  return {
    type = is_image and 'image' or 'document',
    source = { type = 'base64', media_type = media_type, data = part.data },
    title = part.name,
  }
end

---@param one mcp_sidecar.Answer
---@param use table
---@return table
local function tool_result(one, use)
  local block = { type = 'tool_result', tool_use_id = use.id }
  if one.failed then
    -- "all content must be type `text` if `is_error` is true"
    block.is_error = true
    block.content = { { type = 'text', text = content.in_words(one.parts) } }
  else
    block.content = vim.tbl_map(result_block, one.parts)
  end
  return block
end

---tools are those of the moment, for `tools` of a request, and what runs the calls of its answer: dispatch takes
---the content of the model's message, and gives blocks of type "tool_result", one for each "tool_use" in it.
---@param session mcp_sidecar.Session
---@param options? mcp_sidecar.AdapterOptions
---@return table[] definitions
---@return mcp_sidecar.AnthropicDispatch dispatch
function M.tools(session, options)
  options = options or {}
  local definitions, shown = {}, {}
  for i, tool in ipairs(offer.tools(session, options)) do
    local schema, renamed = input_schema.for_provider(of_tool.definition(tool).inputSchema, 'anthropic')
    shown[tool.name] = renamed
    definitions[i] =
      { name = tool.name, description = offer.description(tool, math.huge), input_schema = schema }
  end
  local how = { shown = shown, only_shown = offer.is_choice(options), call = options.call }

  local function dispatch(blocks, callback)
    local uses = vim.tbl_filter(
      function(block) return type(block) == 'table' and (block.type == nil or block.type == 'tool_use') end,
      vim.islist(blocks) and blocks or {}
    )
    local calls = vim.tbl_map(function(use) return { name = use.name, arguments = use.input } end, uses)
    return answer.all(session, calls, how, function(answers)
      local results = {}
      for i, one in ipairs(answers) do
        results[i] = tool_result(one, uses[i])
      end
      callback(results)
    end)
  end
  return definitions, dispatch
end

return M
