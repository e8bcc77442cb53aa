-- Calls of what is not the plugin's own.

---An error of it is shown, and disturbs nobody else.
---@param fn fun(...)
return function(fn, ...)
  local ok, err = xpcall(fn, debug.traceback, ...)
  if ok then return end
  vim.schedule(function() vim.notify(('mcp-sidecar: %s'):format(err), vim.log.levels.ERROR) end)
end
