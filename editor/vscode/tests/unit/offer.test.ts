import assert from "node:assert/strict";
import { test } from "node:test";
import type { Server } from "mcp-sidecar";
import { callToolOffered } from "../../src/agent/access.js";
import { type Circumstances, offerOf } from "../../src/agent/offer.js";
import { type EditorSources, editorsOwn } from "../../src/editors_own.js";
import type { AgentWishes } from "../../src/settings.js";

const AGENT: AgentWishes = {
  enabled: true,
  only: [],
  except: [],
  callTool: "auto",
  excludeEditorServers: true,
};
const RUNNING: Circumstances = {
  trusted: true,
  agent: AGENT,
  had: [],
  condition: { kind: "running", binary: "/opt/mcp-sidecar", pid: 7, version: "1" },
  session: "one",
  extension: "0.1.0",
};

test("a session that runs is offered as the program that joins it", () => {
  const offer = offerOf(RUNNING);
  assert.equal(offer?.command, "/opt/mcp-sidecar");
  assert.deepEqual(offer?.args, ["mcp", "--wait", "2"]);
  assert.match(offer?.version ?? "", /^0\.1\.0-[0-9a-f]{8}$/);
});

test("nothing is offered where nothing may run, is wanted, or runs", () => {
  const without: Partial<Circumstances>[] = [
    { trusted: false },
    { agent: { ...AGENT, enabled: false } },
    { condition: { kind: "starting" } },
    { condition: { kind: "failed", message: "no" } },
    { condition: { kind: "off", why: "disabled" } },
  ];
  for (const change of without) assert.equal(offerOf({ ...RUNNING, ...change }), undefined);
});

test("the user's choice of servers is on the command line", () => {
  const agent = { ...AGENT, only: ["git*", "files"], except: ["github"] };
  assert.deepEqual(offerOf({ ...RUNNING, agent })?.args, [
    ...["mcp", "--wait", "2", "--only", "git*", "--only", "files", "--except", "github"],
  ]);
});

test("what the agent has already is not offered again", () => {
  const agent = { ...AGENT, except: ["github"] };
  assert.deepEqual(offerOf({ ...RUNNING, agent, had: ["files"] })?.args, [
    ...["mcp", "--wait", "2", "--except", "github", "--except", "files"],
  ]);
});

test("the editor has what its folders' .mcp.json name, and what it was told to discover", () => {
  const sources: [name: string, provider: string, level: Server["source"]["level"], path: string][] = [
    ["root", "claude", "project", "/p/.mcp.json"],
    ["above", "claude", "project", "/.mcp.json"],
    ["local", "claude", "user", "/h/.claude.json"],
    ["global", "cursor", "user", "/h/.cursor/mcp.json"],
    ["workspace", "cursor", "project", "/p/.cursor/mcp.json"],
    ["desktop", "claude-desktop", "user", "/h/c.json"],
    ["copilot", "vscode", "user", "/h/.copilot/mcp-config.json"],
    ["github", "vscode", "project", "/p/.github/mcp.json"],
  ];
  const servers = sources.map(([name, provider, level, path]) => {
    return { name, source: { provider, providerName: provider, level, path } } as Server;
  });
  const cases: [EditorSources, string[]][] = [
    [{ folders: [], discovery: undefined }, []],
    [{ folders: ["/q", "/p"], discovery: {} }, ["root"]],
    [{ folders: [], discovery: { "cursor-workspace": true, "claude-desktop": false } }, ["workspace"]],
    [{ folders: [], discovery: true }, ["global", "workspace", "desktop", "copilot"]],
  ];
  for (const [editor, expected] of cases) assert.deepEqual(editorsOwn(servers, editor), expected);
});

test("the version is another one for another session, program, choice or extension, and else the same", () => {
  const version = (change: Partial<Circumstances>) => offerOf({ ...RUNNING, ...change })?.version;
  assert.equal(version({}), version({ condition: { ...RUNNING.condition, pid: 8 } as never }));
  const versions = [
    {},
    { session: "two" },
    { extension: "0.2.0" },
    { agent: { ...AGENT, only: ["a"] } },
    { agent: { ...AGENT, except: ["a"] } },
    { condition: { ...RUNNING.condition, binary: "/usr/bin/mcp-sidecar" } as never },
  ].map(version);
  assert.equal(new Set(versions).size, versions.length);
});

test("the one tool is offered where the agent cannot have the tools themselves", () => {
  const open = { access: "all", enabled: undefined };
  const always: AgentWishes = { ...AGENT, callTool: "always" };
  const cases: [Partial<Parameters<typeof callToolOffered>[0]>, boolean][] = [
    [{}, false],
    [{ mcp: { access: undefined, enabled: undefined } }, false],
    [{ mcp: { access: undefined, enabled: true } }, false],
    [{ direct: false }, true],
    [{ mcp: { access: "none", enabled: undefined } }, true],
    [{ mcp: { access: "registry", enabled: undefined } }, true],
    [{ mcp: { access: undefined, enabled: false } }, true],
    [{ agent: always }, true],
    [
      { agent: { ...AGENT, callTool: "never" }, direct: false, mcp: { access: "none", enabled: false } },
      false,
    ],
    [{ agent: { ...always, enabled: false } }, false],
    [{ agent: { ...AGENT, enabled: false }, direct: false }, false],
    [{ agent: always, trusted: false }, false],
  ];
  const here = { agent: AGENT, trusted: true, direct: true, mcp: open };
  for (const [access, offered] of cases)
    assert.equal(callToolOffered({ ...here, ...access }), offered, JSON.stringify(access));
});
