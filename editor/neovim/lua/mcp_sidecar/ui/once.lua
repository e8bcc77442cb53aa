-- Callbacks of vim.ui.select and vim.ui.input, which may be anybody's: pickers call back while they still close their
-- windows, and some call back twice.

---@param callback fun(...)
---@return fun(...) once runs it later, the first time
return function(callback)
  local called = false
  return function(...)
    if called then return end
    called = true
    local arguments = vim.F.pack_len(...)
    vim.schedule(function() callback(vim.F.unpack_len(arguments)) end)
  end
end
