std = 'luajit'
globals = { 'vim' }
read_globals = { 'MiniTest' }
max_line_length = 120
