-- Calls of what is not the plugin's own.

---An error of it is shown, and disturbs nobody else. Nor does one that yields: the coroutine that it would stop may be
---that of somebody who has only made a call, with others to be told.
---@param fn fun(...)
return function(fn, ...)
  local own = coroutine.create(function(...) fn(...) end)
  local ok, err = coroutine.resume(own, ...)
  if ok then return end
  local text = ('mcp-sidecar: %s'):format(debug.traceback(own, tostring(err)))
  vim.schedule(function() vim.notify(text, vim.log.levels.ERROR) end)
end
