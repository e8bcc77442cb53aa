-- Files within JSON: what base64 is read, and what a file is by how it begins.
local embedded = require('mcp_sidecar.embedded')

local new_set, eq = MiniTest.new_set, MiniTest.expect.equality
local T = new_set()

T['base64 is read as servers write it'] = new_set({
  parametrize = {
    { '', '', '' },
    { 'AP/+IQ==', 'AP/+IQ==', '\0\255\254!' },
    { 'AP/+IQ', 'AP/+IQ==', '\0\255\254!' },
    { 'AP/+IQ=', 'AP/+IQ==', '\0\255\254!' },
    { 'AP_-IQ', 'AP/+IQ==', '\0\255\254!' },
    { ' AP/+\r\n\tIQ==\n', 'AP/+IQ==', '\0\255\254!' },
    { 'data:image/png;base64,AP/+IQ==', 'AP/+IQ==', '\0\255\254!' },
    { 'data:;base64,AP_-\nIQ', 'AP/+IQ==', '\0\255\254!' },
  },
}, {
  test = function(text, clean, bytes) eq({ embedded.base64(text), embedded.bytes(text) }, { clean, bytes }) end,
})

T['what is no base64 is nothing'] = new_set({
  parametrize = {
    { 'A' },
    { 'AAAAA' },
    { 'ab!c' },
    { '&&&&' },
    { 'YQ==YQ==' },
    { 'é' },
    { 'data:image/png;base64' },
    { 5 },
    { { 'YQ==' } },
    { vim.NIL },
  },
}, {
  test = function(value) eq({ embedded.base64(value), embedded.bytes(value) }, {}) end,
})

T['a file is what it begins with'] = new_set({
  parametrize = {
    { '\137PNG\r\n\26\n\0', 'image/png' },
    { '\255\216\255\224', 'image/jpeg' },
    { 'GIF87a', 'image/gif' },
    { 'GIF89a', 'image/gif' },
    { 'RIFF\0\0\0\0WEBPVP8 ', 'image/webp' },
    { 'RIFF\10\13%[WAVEfmt', 'audio/wav' },
    { '%PDF-1.7', 'application/pdf' },
    { 'OggS\0', 'audio/ogg' },
    { 'fLaC\0', 'audio/flac' },
    { 'ID3\4', 'audio/mpeg' },
    { 'GIF88a' },
    { 'RIFF\0\0\0\0AVI ' },
    { '\137PNG\n\26\n' },
    { ' %PDF-1.7' },
    { '' },
  },
}, {
  test = function(bytes, wanted) eq(embedded.type_of(bytes), wanted) end,
})

return T
