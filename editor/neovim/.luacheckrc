std = 'luajit'
globals = { 'vim' }
read_globals = { 'MiniTest' }
max_line_length = 120
-- An annotation is one line, however long.
max_comment_line_length = false
