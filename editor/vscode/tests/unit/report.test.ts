import assert from "node:assert/strict";
import { test } from "node:test";
import type { DoctorReport, DoctorServer, Server } from "mcp-sidecar";
import { linksIn } from "../../src/doctor/links.js";
import { block, code, plain } from "../../src/doctor/markdown.js";
import { type Facts, reportOf, reportOfNothing } from "../../src/doctor/report.js";
import { server as sample } from "./samples.js";

const texts: readonly [what: string, markdown: string, shown: string][] = [
  ["emphasis", plain("a *b* _c_ snake_case ~d~ `e`"), "a \\*b\\* \\_c\\_ snake_case \\~d\\~ \\`e\\`"],
  ["links and images", plain("![x](command:y) <a>"), "!\\[x\\](command:y) \\<a>"],
  ["addresses", plain("http://a.b @ada #1 &amp; # x"), "http\\://a.b \\@ada \\#1 \\&amp; # x"],
  ["formulas", plain("$x$"), "\\$x\\$"],
  ["a cell of a table", plain("a|b\nc"), "a\\|b\\\\nc"],
  ["what turns text around", plain("a\u202eb"), "a\\\\u{202e}b"],
  ["code", code("a b"), "`a b`"],
  ["code with backticks", code("a ``b`"), "``` a ``b` ```"],
  ["code in a table", code("a|b"), "`a\\|b`"],
  ["no code", code(""), ""],
  ["a block", block("a\n```\n<b>\u001b[2J"), "````\na\n```\n<b>\n````"],
];

for (const [what, markdown, shown] of texts) {
  test(`text of others is no markup: ${what}`, () => assert.equal(markdown, shown));
}

const facts: Facts = {
  extension: "1.2.3",
  editor: "VS Code 1.101.0",
  platform: "linux x64",
  home: "/home/ada",
  time: "2026-12-01T10:00:00.000Z",
};
const running = { kind: "running", binary: "/home/ada/bin/mcp-sidecar", pid: 7, version: "1.2" } as const;

function server(name: string, more: Partial<Server> = {}): Server {
  const source = {
    provider: "claude",
    providerName: "Claude",
    level: "project",
    path: "/home/ada/p/.mcp.json",
    line: 4,
  } as const;
  return sample({ name, source, timings: { connectMs: 100, listMs: 20 }, ...more });
}

const broken: DoctorServer = {
  server: server("fs|<b>", {
    status: "disconnected",
    phase: "failed",
    tools: { count: 0, from: "none" },
    timings: {},
    error: {
      code: "exited",
      stage: "initialize",
      message: "it *ended*",
      stderr: ["TOKEN=hunter2", "```", "# x"],
    },
  }),
  written: { command: "run", args: ["--token=hunter2"] },
  variables: [
    { name: "HOME", set: true },
    { name: "NOPE", set: false },
  ],
  commands: ["pass show hunter2"],
  search: { command: "run", path: ["/bin", "/usr/bin"] },
  shadows: [
    { path: "/home/ada/.claude.json", provider: "claude", providerName: "Claude", level: "user", line: 9 },
  ],
  cache: { state: "miss" },
};

const report: DoctorReport = {
  sidecar: { name: "mcp-sidecar", version: "1.2" },
  cwd: "/home/ada/p",
  healthy: false,
  files: [
    {
      path: "/home/ada/p/.mcp.json",
      provider: "claude",
      providerName: "Claude",
      level: "project",
      state: "read",
      servers: [
        { name: "fs|<b>", state: "counts" },
        { name: "x", state: "alias", by: "y" },
      ],
    },
    {
      path: "/home/ada/.x",
      provider: "x",
      providerName: "X",
      level: "user",
      state: "broken",
      why: "no JSON",
      servers: [],
    },
    { path: "/home/ada/.y", provider: "y", providerName: "Y", level: "user", state: "absent", servers: [] },
    { path: "/home/ada/.z", provider: "y", providerName: "Y", level: "user", state: "absent", servers: [] },
  ],
  servers: [broken, { server: server("web"), written: null, cache: { state: "hit" } }],
  findings: [
    {
      severity: "error",
      path: "/home/ada/p/.mcp.json",
      line: 4,
      server: "fs",
      message: "it *ended*",
      fix: "mend <it>",
    },
    { severity: "warning", path: "", message: "odd", fix: "look" },
  ],
  errors: [],
};

test("the report has what is wrong first, with the places, then servers and files", () => {
  const text = reportOf(report, running, facts, "user");
  assert.equal(
    text,
    `# MCP Sidecar

2026-12-01T10:00:00.000Z. Extension 1.2.3, VS Code 1.101.0, linux x64.

Sidecar 1.2: \`~/bin/mcp-sidecar\`, process 7. Directory: \`~/p\`.

## What is wrong

- ❌ it \\*ended\\*  
  \`~/p/.mcp.json:4\`  
  *What to do:* mend \\<it>
- ⚠️ odd  
  the settings  
  *What to do:* look

## Servers

| server | state | tools | connected in | transport | from |
|---|---|---|---|---|---|
| fs\\|\\<b> | failed | 0 |  | stdio | \`~/p/.mcp.json:4\` |
| web | ready | 2 | 120 ms | stdio | \`~/p/.mcp.json:4\` |

### fs\\|\\<b>

- it \\*ended\\* (initialize, exited)
- \`run\` was not found; searched: \`/bin\`, \`/usr/bin\`
- variables that are not set: \`NOPE\`
- runs for values: \`pass show hunter2\`
- the entry in \`~/.claude.json:9\` does not count (it is something else)

\`\`\`json
{
  "command": "run",
  "args": [
    "--token=hunter2"
  ]
}
\`\`\`

Last on stderr:

\`\`\`\`
TOKEN=hunter2
\`\`\`
# x
\`\`\`\`

## Files

| file | of | level | servers |
|---|---|---|---|
| \`~/p/.mcp.json\` | Claude | project | fs\\|\\<b>, x (the same as another server: \`y\`) |
| \`~/.x\` | X | user | **broken**: no JSON |

Looked for, and not there:

- Y: \`~/.y\`, \`~/.z\`
`,
  );
});

test("what is for others has no value of an entry, no stderr and not the name of the user", () => {
  const text = reportOf(report, running, facts, "others");
  for (const secret of ["hunter2", "/home/ada"]) assert.ok(!text.includes(secret), text);
  for (const known of ["it \\*ended\\*", "mend", "`~/p/.mcp.json:4`", "NOPE"])
    assert.ok(text.includes(known), text);
});

test("every place of the report leads to its file and line", () => {
  const text = reportOf(report, running, facts, "user");
  const links = linksIn(text, "/home/ada").map(({ start, end, path, line }) => {
    assert.equal(
      text.slice(start, end).replace("~", "/home/ada"),
      line === undefined ? path : `${path}:${line}`,
    );
    return [path, line];
  });
  for (const [path, line] of [
    ["/home/ada/p/.mcp.json", 4],
    ["/home/ada/.claude.json", 9],
    ["/home/ada/.x", undefined],
    ["/home/ada/.z", undefined],
  ]) {
    assert.ok(
      links.some((link) => link[0] === path && link[1] === line),
      `${path}:${line} is no link`,
    );
  }
});

test("only paths that are whole are links", () => {
  const links = linksIn("`run` `a/b` `~x` `/a\\|b:7` `C:\\\\x y:3` `/n\no`", "/h");
  assert.deepEqual(
    links.map(({ path, line }) => [path, line]),
    [
      ["/a|b", 7],
      ["C:\\\\x y", 3],
    ],
  );
});

test("that nothing is wrong is said, and that there is nothing", () => {
  const text = reportOf({ ...report, findings: [], servers: [], files: [] }, running, facts, "user");
  assert.match(text, /## Nothing is wrong\n/);
  assert.match(text, /## Servers\n\nThere are none\.\n/);
  assert.match(text, /No file configures a server\./);
});

test("of a sidecar that does not run the report has why, and the end of the log", () => {
  const text = reportOfNothing("not found:\n  /home/ada/bin: ```", ["[info] the sidecar starts"], facts);
  assert.ok(text.includes("## The sidecar does not run\n\n````\nnot found:\n  ~/bin: ```\n````"), text);
  assert.ok(text.includes("## The end of its log\n\n```\n[info] the sidecar starts\n```"), text);
  assert.ok(!reportOfNothing("x", [], facts).includes("log"));
});

test("the home directory is ~ in the midst of a text, but not where it begins another name", () => {
  const told = (text: string) => reportOfNothing(text, [], facts).split("\n").at(-3);
  assert.equal(told("cannot read /home/ada/x, in /home/ada."), "cannot read ~/x, in ~.");
  for (const other of ["/home/adam/x", "/home/adaé", "/home/ada.old/x", "/home/ada-2", "/mnt/home/ada/x"]) {
    assert.equal(told(other), other);
  }
});
