-- The help files as values: their lines, what they define, what they refer to, and their examples. Code (between
-- `>lua` and `<`) is apart from prose, as it is for Neovim.

local M = {}

---HelpFile is one file of doc/.
---@class mcp_sidecar.HelpFile
---@field name string
---@field lines string[]
---@field prose string[] its lines, blank where they are code
---@field examples { language: string, line: integer, text: string }[]

---@param line string
---@return string? language
local function opens_code(line) return line:match('^>(%l*)$') or line:match('%s>(%l*)$') end

---@param name string
---@param lines string[]
---@return mcp_sidecar.HelpFile
function M.parse(name, lines)
  local file = { name = name, lines = lines, prose = {}, examples = {} }
  local example
  for number, line in ipairs(lines) do
    -- Code ends at `<`, or at a line that is not indented.
    if example and line:find('^%S') then
      table.insert(file.examples, {
        language = example.language,
        line = example.line,
        text = table.concat(example.lines, '\n'),
      })
      example = nil
    end
    if example then
      table.insert(example.lines, line)
    else
      local language = opens_code(line)
      if language then example = { language = language, line = number, lines = {} } end
    end
    file.prose[number] = (example and example.line ~= number) and '' or line
  end
  assert(not example, name .. ': an example has no end')
  return file
end

---@param directory string
---@return mcp_sidecar.HelpFile[]
function M.read(directory)
  return vim.tbl_map(
    function(path) return M.parse(vim.fs.basename(path), vim.fn.readfile(path)) end,
    vim.fn.globpath(directory, '*.txt', true, true)
  )
end

---tags are what a file defines.
---@param file mcp_sidecar.HelpFile
---@return table<string, true>
function M.tags(file)
  local tags = {}
  for _, line in ipairs(file.prose) do
    for tag in (' ' .. line .. ' '):gmatch('%f[^%s]%*([^%s|*]+)%*%f[%s]') do
      tags[tag] = true
    end
  end
  return tags
end

---references are the |tags| that a file names, with their lines.
---@param file mcp_sidecar.HelpFile
---@return { tag: string, line: integer }[]
function M.references(file)
  local found = {}
  for number, line in ipairs(file.prose) do
    for tag in line:gmatch('|([^%s|"*]+)|') do
      found[#found + 1] = { tag = tag, line = number }
    end
  end
  return found
end

---after is the text from the line of a tag to the next blank line, on one line.
---@param file mcp_sidecar.HelpFile
---@param tag string
---@return string?
function M.after(file, tag)
  local words
  for _, line in ipairs(file.lines) do
    if words and not line:find('%S') then break end
    if words then
      words[#words + 1] = vim.trim((line:gsub(' ~$', '')))
    elseif line:find('*' .. tag .. '*', 1, true) then
      words = {}
    end
  end
  return words and table.concat(words, ' ')
end

---keys are those of a list after a heading: they stand in its first 16 columns, several with blanks between.
---@param file mcp_sidecar.HelpFile
---@param heading string
---@return string[][] by line
function M.keys(file, heading)
  local found
  for _, line in ipairs(file.lines) do
    local names = line:sub(1, 16):match('^(%S.-)%s%s+$')
    if found and line:find('^%S') and not names then break end
    if found and names then
      found[#found + 1] = vim.split(names, '%s+')
    elseif line == heading then
      found = {}
    end
  end
  return found or {}
end

---rows are the lines of a table, cut into columns at two blanks or more: from the heading that ends in ` ~` with
---these words, to the next line that is blank or not indented.
---@param file mcp_sidecar.HelpFile
---@param heading string[]
---@return string[][]
function M.rows(file, heading)
  local rows
  for _, line in ipairs(file.lines) do
    local columns = vim.split(vim.trim((line:gsub(' ~$', ''))), '%s%s+')
    if rows and not line:find('^ +%S') then break end
    if rows then
      rows[#rows + 1] = columns
    elseif line:find(' ~$') and vim.deep_equal(columns, heading) then
      rows = {}
    end
  end
  return rows or {}
end

return M
