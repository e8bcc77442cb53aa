-- Where the program is taken from: tables over `find`, in surroundings of their own, and the real ones once.
local World = require('world')
local binary = require('mcp_sidecar.binary')
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

---here is a machine with these programs, and with files that are none.
---@param programs string[]
---@param more? { env?: table, windows?: boolean, wrong?: table<string, string> }
local function here(programs, more)
  more = more or {}
  return {
    windows = more.windows or false,
    plugin = '/plugin',
    cwd = more.windows and 'C:/here' or '/here',
    env = more.env or {},
    unfit = function(path)
      if vim.list_contains(programs, path) then return nil end
      return (more.wrong or {})[path] or 'does not exist'
    end,
  }
end

local function path_is(path) return { env = { PATH = path } } end

local FOUND = {
  ['the option comes first'] = {
    option = '/own/sidecar',
    here = here({ '/own/sidecar', '/env/sidecar', '/plugin/bin/mcp-sidecar' }, {
      env = { MCP_SIDECAR = '/env/sidecar' },
    }),
    path = '/own/sidecar',
  },
  ['then the variable'] = {
    here = here({ '/env/sidecar', '/plugin/bin/mcp-sidecar' }, { env = { MCP_SIDECAR = '/env/sidecar' } }),
    path = '/env/sidecar',
  },
  ['an empty variable is none'] = {
    here = here({ '/plugin/bin/mcp-sidecar' }, { env = { MCP_SIDECAR = '' } }),
    path = '/plugin/bin/mcp-sidecar',
  },
  ["then the plugin's own"] = {
    here = here({ '/plugin/bin/mcp-sidecar', '/bin/mcp-sidecar' }, path_is('/bin')),
    path = '/plugin/bin/mcp-sidecar',
  },
  ['then PATH, in its order'] = {
    here = here({ '/b/mcp-sidecar', '/c/mcp-sidecar' }, path_is('/a:/b:/c')),
    path = '/b/mcp-sidecar',
  },
  ['what is no program in PATH is passed over'] = {
    here = here({ '/b/mcp-sidecar' }, {
      env = { PATH = '/a:/b' },
      wrong = { ['/a/mcp-sidecar'] = 'is not a file' },
    }),
    path = '/b/mcp-sidecar',
  },
  ['the option may be a name in PATH'] = {
    option = 'sidecar-next',
    here = here({ '/b/sidecar-next', '/here/sidecar-next' }, path_is('/a:/b')),
    path = '/b/sidecar-next',
  },
  ['so may the variable'] = {
    here = here({ '/b/sidecar-next' }, { env = { MCP_SIDECAR = 'sidecar-next', PATH = '/b' } }),
    path = '/b/sidecar-next',
  },
  ['a relative option is meant from where Neovim is'] = {
    option = 'bin/sidecar',
    here = here({ '/here/bin/sidecar' }),
    path = '/here/bin/sidecar',
  },
  ['so is one that begins with a dot'] = {
    option = './sidecar',
    here = here({ '/here/sidecar' }),
    path = '/here/sidecar',
  },
  ['and one above'] = {
    option = '../sidecar',
    here = here({ '/here/../sidecar' }),
    path = '/here/../sidecar',
  },
  ['so is a relative variable'] = {
    here = here({ '/here/bin/sidecar' }, { env = { MCP_SIDECAR = './bin/sidecar' } }),
    path = '/here/bin/sidecar',
  },
  ['so is a relative entry of PATH'] = {
    here = here({ '/here/tools/mcp-sidecar', '/z/mcp-sidecar' }, path_is('./tools:/z')),
    path = '/here/tools/mcp-sidecar',
  },
  ['the current directory is an entry if it is named'] = {
    here = here({ '/here/mcp-sidecar' }, path_is('/a:.')),
    path = '/here/mcp-sidecar',
  },
  ['an empty entry of PATH is none'] = {
    here = here({ '/mcp-sidecar', '/here/mcp-sidecar', '/z/mcp-sidecar' }, path_is(':/a::/z:')),
    path = '/z/mcp-sidecar',
  },
  ['the home is expanded'] = {
    option = '~/sidecar',
    here = here({ vim.env.HOME .. '/sidecar' }),
    path = vim.env.HOME .. '/sidecar',
  },
  ['Windows has other names and separators'] = {
    here = here({ 'D:\\b/mcp-sidecar.exe' }, { windows = true, env = { PATH = 'C:\\a;D:\\b' } }),
    path = 'D:\\b/mcp-sidecar.exe',
  },
  ['a name needs no ending on Windows'] = {
    option = 'sidecar',
    here = here({ 'C:/here/tools/sidecar.exe' }, { windows = true, env = { PATH = 'tools' } }),
    path = 'C:/here/tools/sidecar.exe',
  },
}

T['the first place that has it wins'] = function()
  for name, case in pairs(FOUND) do
    local path, message = binary.find(case.option, case.here)
    eq({ name, path, message }, { name, case.path, nil })
  end
end

local MISSING = {
  ['a wrong option is an error, whatever else there is'] = {
    option = '/own/sidecar',
    here = here({ '/plugin/bin/mcp-sidecar' }),
    words = { 'the option `binary` names no program', '/own/sidecar does not exist' },
  },
  ['so is a wrong variable'] = {
    here = here({ '/plugin/bin/mcp-sidecar' }, {
      env = { MCP_SIDECAR = '/env/x' },
      wrong = { ['/env/x'] = 'is not executable' },
    }),
    words = { 'the environment variable MCP_SIDECAR names no program', '/env/x is not executable' },
  },
  ['a relative one is said as it is meant'] = {
    option = 'bin/sidecar',
    here = here({}),
    words = { '/here/bin/sidecar does not exist' },
  },
  ['a name that is not in PATH'] = {
    option = 'sidecar-next',
    here = here({ '/here/sidecar-next' }, path_is('/a:/b')),
    words = { 'sidecar-next is not in /a:/b' },
  },
  ['each place is named, and how to install it'] = {
    here = here({}, { env = { PATH = '/a:/b' }, wrong = { ['/b/mcp-sidecar'] = 'is not a file' } }),
    words = {
      'cannot find the program mcp-sidecar',
      'the option `binary`: not given',
      'MCP_SIDECAR: not set',
      "the plugin's own /plugin/bin: does not exist",
      'PATH: not in /a:/b (/b/mcp-sidecar is not a file)',
      ':help mcp-sidecar-install',
    },
  },
  ['PATH may be empty'] = { here = here({}), words = { 'not in PATH, which is empty' } },
}

T['when there is none, it is said where it was looked for'] = function()
  for name, case in pairs(MISSING) do
    local path, message = binary.find(case.option, case.here)
    eq({ name, path }, { name, nil })
    for _, words in ipairs(case.words) do
      eq({ name, words, message:find(words, 1, true) and words or message }, { name, words, words })
    end
  end
end

T['it is told where it was looked for before'] = function()
  local _, _, looked = binary.find(nil, here({ '/b/mcp-sidecar' }, path_is('/b')))
  local function where(place) return place.where end
  eq(vim.tbl_map(where, looked), {
    'the option `binary`',
    'the environment variable MCP_SIDECAR',
    "the plugin's own /plugin/bin",
  })
end

T['a relative program starts in a project that is elsewhere'] = function()
  local world = World.open()
  MiniTest.finally(function() world:close() end)
  world:script(
    'tools/mine/sidecar',
    ('#!/bin/sh\nexec %s "$@"\n'):format(vim.fn.shellescape(vim.env.MCP_SIDECAR_TEST_BINARY))
  )
  world:write('project/sub/.git/HEAD', '')
  local child = world:child({ binary = '../tools/mine/sidecar' })
  child.lua([[require('mcp_sidecar').start(function(err) ended = err or true end, { root = 'sub' })]])
  eq(child.await('return ended'), true)
  eq(child.lua_get([[require('mcp_sidecar').status({ root = 'sub' }).phase]]), 'running')
end

T['on this machine, files that are no programs are told from each other'] = function()
  local world = World.open()
  MiniTest.finally(function() world:close() end)
  for path, why in pairs({
    [world:write('plain', '')] = 'is not executable (chmod +x makes it so)',
    [world.project] = 'is not a file',
    [world.dir .. '/nothing'] = 'does not exist',
  }) do
    local _, message = binary.find(path)
    eq(message, ('the option `binary` names no program: %s %s'):format(path, why))
  end
  local program = world:script('program', '#!/bin/sh\n')
  eq(binary.find(program), program)
end

return T
