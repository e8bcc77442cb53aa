local media = require('mcp_sidecar.ui.media')

local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

local PNG = '\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\2\128\0\0\1\224\8\6\0\0\0'
-- A JPEG with a comment, and fill bytes before the frame.
local JPEG = '\255\216\255\254\0\5abc\255\255\192\0\17\8\1\44\1\144\3' .. ('\0'):rep(9)

T['pictures tell their size'] = function()
  eq({ media.dimensions(PNG) }, { 640, 480 })
  eq({ media.dimensions('GIF89a\16\1\200\0') }, { 272, 200 })
  eq({ media.dimensions(JPEG) }, { 400, 300 })
end

T['what is broken or something else tells none'] = function()
  for _, bytes in ipairs({
    '',
    'GIF',
    'GIF89a',
    PNG:sub(1, 20),
    '\255\216\255',
    JPEG:sub(1, 14),
    '\255\216\255\254\0\0\255',
    'text',
  }) do
    eq({ media.dimensions(bytes) }, {})
  end
end

T['the bytes decide on the extension, then the type'] = function()
  local cases = {
    { PNG, 'text/html', 'png' },
    { JPEG, nil, 'jpg' },
    { 'RIFF1234WAVEfmt', 'audio/mpeg', 'wav' },
    { '%PDF-1.7', nil, 'pdf' },
  }
  vim.list_extend(cases, {
    { 'x', 'image/SVG+xml; charset=utf-8', 'svg' },
    { 'x', 'evil/../../sh', 'bin' },
    { 'x', 5, 'bin' },
    { '', nil, 'bin' },
  })
  for _, case in ipairs(cases) do
    eq(media.extension(case[1], case[2]), case[3])
  end
end

return T
