std = 'luajit'
globals = { 'vim' }
read_globals = { 'MiniTest' }
max_line_length = 120
-- A type is one line, however much it says.
max_comment_line_length = false
exclude_files = { 'lua/mcp_sidecar/protocol_gen.lua' }
