-- The tools of a session for OpenAI's models, in the form of Chat Completions, which other providers have too,
-- or of Responses. Ask for the tools again in each request, and they are those of the moment:
--
--   local tools, dispatch = openai.tools(session)
--   request({ messages = messages, tools = #tools > 0 and tools or nil }, function(message)
--     dispatch(message.tool_calls, function(answers) vim.list_extend(messages, answers) … end)
--   end)
--
-- OpenAI takes 128 tools at most, and no empty list: choose by `servers` or `filter` where there are more.

local answer = require('mcp_sidecar.adapters.answer')
local content = require('mcp_sidecar.adapters.content')
local input_schema = require('mcp_sidecar.adapters.input_schema')
local of_tool = require('mcp_sidecar.tool')
local offer = require('mcp_sidecar.adapters.offer')

local M = {}

---How many characters OpenAI takes for a description ("string too long", from most of its models).
local LONGEST = 1024

---@alias mcp_sidecar.OpenAIDispatch fun(tool_calls: table[]?, callback: fun(messages: table[])): mcp_sidecar.Cancel

---@param call table of a model's message
---@return mcp_sidecar.ModelCall
local function chat_call(call)
  local called = type(call) == 'table' and call['function']
  if type(called) ~= 'table' then return { mistake = 'Only tools of type function can be called here.' } end
  return { name = called.name, arguments = called.arguments }
end

---@param answers mcp_sidecar.Answer[]
---@param calls table[]
---@param show_images boolean?
---@return table[] messages
local function chat_messages(answers, calls, show_images)
  local shown = {}
  local function describe(part)
    if part.type ~= 'image' or not show_images then return content.note(part) end
    local number = #shown / 2 + 1
    shown[#shown + 1] = { type = 'text', text = ("Image %d of the tools' results:"):format(number) }
    local url = ('data:%s;base64,%s'):format(part.mime_type, part.data)
    shown[#shown + 1] = { type = 'image_url', image_url = { url = url } }
    return ('[image %d, see below]'):format(number)
  end
  local messages = {}
  for i, one in ipairs(answers) do
    local text = content.in_words(content.saying_failure(one.parts, one.failed), describe)
    local id = type(calls[i]) == 'table' and calls[i].id or nil
    messages[i] = { role = 'tool', tool_call_id = id, content = text }
  end
  if #shown > 0 then messages[#messages + 1] = { role = 'user', content = shown } end
  return messages
end

---@param part mcp_sidecar.Part
---@return table
local function output_item(part)
  if part.type == 'text' then return { type = 'input_text', text = part.text } end
  local function url(mime_type) return ('data:%s;base64,%s'):format(mime_type, part.data) end
  if part.type == 'image' then
    return { type = 'input_image', image_url = url(part.mime_type), detail = 'auto' }
  end
  return { type = 'input_file', filename = part.name, file_data = url('application/pdf') }
end

---@param one mcp_sidecar.Answer
---@param call table
---@return table item
local function function_call_output(one, call)
  local parts = content.saying_failure(one.parts, one.failed)
  local plain = vim.iter(parts):all(function(part) return part.type == 'text' end)
  local output = plain and content.in_words(parts) or vim.tbl_map(output_item, parts)
  return { type = 'function_call_output', call_id = call.call_id, output = output }
end

---dispatch of Chat Completions: message.tool_calls → messages of role "tool", one for each.
local function chat_dispatch(session, options, how)
  return function(tool_calls, callback)
    local calls = vim.islist(tool_calls) and tool_calls or {}
    return answer.all(
      session,
      vim.tbl_map(chat_call, calls),
      how,
      function(answers) callback(chat_messages(answers, calls, options.images)) end
    )
  end
end

---dispatch of Responses: response.output → items of type "function_call_output", one for each call in it.
local function responses_dispatch(session, how)
  return function(items, callback)
    local calls = vim.tbl_filter(
      function(item) return type(item) == 'table' and (item.type == nil or item.type == 'function_call') end,
      vim.islist(items) and items or {}
    )
    return answer.all(session, calls, how, function(answers)
      local outputs = {}
      for i, one in ipairs(answers) do
        outputs[i] = function_call_output(one, calls[i])
      end
      callback(outputs)
    end)
  end
end

---OpenAIOptions say also in what form.
---@class mcp_sidecar.OpenAIOptions: mcp_sidecar.AdapterOptions
---@field api? "chat"|"responses" default "chat"
---@field description_limit? number in characters; default 1024; math.huge for others that have this API
---@field images? boolean "chat": show images by one more message at the end, which is the user's; default false: they are named in the tool's message, which can have only text

---tools are those of the moment, for `tools` of a request, and what runs the calls of its answer.
---@param session mcp_sidecar.Session
---@param options? mcp_sidecar.OpenAIOptions
---@return table[] definitions
---@return mcp_sidecar.OpenAIDispatch dispatch
function M.tools(session, options)
  options = options or {}
  local flat = options.api == 'responses'
  local definitions, shown = {}, {}
  for i, tool in ipairs(offer.tools(session, options)) do
    local schema, renamed = input_schema.for_provider(of_tool.definition(tool).inputSchema, 'openai')
    local description = offer.description(tool, options.description_limit or LONGEST)
    shown[tool.name] = renamed
    local definition = { name = tool.name, description = description, parameters = schema }
    -- Few schemas of servers are of the subset that `strict` wants, and Responses assumes it.
    definitions[i] = flat and vim.tbl_extend('error', definition, { type = 'function', strict = false })
      or { type = 'function', ['function'] = definition }
  end
  local how = { shown = shown, only_shown = offer.is_choice(options), call = options.call }
  return definitions, flat and responses_dispatch(session, how) or chat_dispatch(session, options, how)
end

return M
