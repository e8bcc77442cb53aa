-- The name that was meant by one that there is not: pure.

local M = {}

---distance is how many letters have to be put in, taken out, replaced, or exchanged with their neighbour.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local before, last = {}, {}
  for j = 0, #b do
    last[j] = j
  end
  for i = 1, #a do
    local row = { [0] = i }
    for j = 1, #b do
      local other = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + other)
      local exchanged = i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j)
      if exchanged then row[j] = math.min(row[j], before[j - 2] + 1) end
    end
    before, last = last, row
  end
  return last[#b]
end

---of gives the nearest of the names, if one is near: it begins so, or differs in a third of its letters at most.
---@param name string
---@param names string[]
---@return string?
function M.of(name, names)
  local wanted = name:lower()
  local best, least = nil, math.huge
  for _, other in ipairs(names) do
    local has = other:lower()
    local far = wanted ~= '' and vim.startswith(has, wanted) and 0 or distance(wanted, has)
    if far < least and far <= math.max(#wanted, #has) / 3 then
      best, least = other, far
    end
  end
  return best
end

return M
