/** What the status bar says, what can be done now, and what is told: functions of the last view. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Phase, type Server, SidecarClosedError } from "mcp-sidecar";
import { actionsOf } from "../../src/overview/actions.js";
import { changedServers } from "../../src/overview/changes.js";
import { ended, endOf, messageOf, newsOf, reasonOfEnd } from "../../src/overview/news.js";
import { Retries } from "../../src/overview/retries.js";
import { statusOf } from "../../src/overview/status.js";
import { WINDOW_MS } from "../../src/restarts.js";
import { empty } from "../../src/view.js";
import { server, tool, view } from "./samples.js";

const STATUS: { readonly [P in Phase]?: Server["status"] } = { ready: "connected", starting: "connecting" };

function servers(...phases: Phase[]): Server[] {
  return phases.map((phase, at) =>
    server({ name: `s${at}`, phase, status: STATUS[phase] ?? "disconnected" }),
  );
}

test("the status bar counts the servers that are wanted, and says what is wrong with them", () => {
  const table: readonly (readonly [phases: Phase[], text: string, background: string])[] = [
    [[], "$(plug) MCP", ""],
    [["disabled", "stopped"], "$(plug) MCP", ""],
    [["ready", "ready", "disabled"], "$(plug) MCP 2/2", ""],
    [["ready", "starting"], "$(sync~spin) MCP 1/2", ""],
    [["ready", "starting", "failed"], "$(sync~spin) MCP 1/3", "warning"],
    [["ready", "failed"], "$(error) MCP 1/2", "warning"],
    [["failed", "invalid"], "$(error) MCP 0/2", "error"],
    [["ready", "untrusted"], "$(shield) MCP 1/2", "warning"],
    [["ready", "backoff"], "$(watch) MCP 1/2", "warning"],
  ];
  for (const [phases, text, background] of table) {
    const status = statusOf(view({ servers: servers(...phases) }), []);
    assert.equal(status.text, text);
    assert.equal(status.background ?? "", background && `statusBarItem.${background}Background`);
  }
});

test("the status bar says why nothing runs", () => {
  assert.equal(statusOf(empty({ kind: "off", why: "restricted" }), []).text, "$(shield) MCP off");
  assert.equal(statusOf(empty({ kind: "off", why: "disabled" }), []).text, "MCP off");
  assert.equal(statusOf(empty({ kind: "starting" }), []).text, "$(sync~spin) MCP");
  const failed = statusOf(empty({ kind: "failed", message: "no [x](command:y)" }), []);
  assert.equal(failed.background, "statusBarItem.errorBackground");
  assert.match(failed.tooltip, /no \\\[x\\\]\\\(command\\:y\\\)/);
});

test("the tooltip of the status bar names those that need somebody first, and not all of many", () => {
  const many = servers(...Array<Phase>(20).fill("ready"), "failed");
  const { tooltip } = statusOf(view({ servers: many }), []);
  assert.match(tooltip, /\n\n- s20: failed\n/);
  assert.match(tooltip, /\n- and 9 more$/);
});

test("what can be done begins with the problems", () => {
  const failed = server({ name: "bad", phase: "failed", status: "disconnected" });
  const titles = actionsOf(view({ servers: [server(), failed], tools: [tool({ name: "a" })] }), []).map(
    ({ title, argument }) => (argument === undefined ? title : `${title} (${argument})`),
  );
  assert.deepEqual(titles.slice(0, 4), [
    "Try Again: bad (bad)",
    "Show Log: bad (bad)",
    "Show Servers",
    "Call a Tool…",
  ]);
  const commands = (of: ReturnType<typeof empty>) => actionsOf(of, []).map(({ command }) => command);
  assert.equal(commands(empty({ kind: "off", why: "restricted" }))[0], "workbench.trust.manage");
  assert.equal(commands(empty({ kind: "failed", message: "" }))[0], "mcpSidecar.restart");
  assert.ok(!commands(view()).includes("mcpSidecar.connect"), "there is no server to connect");
});

test("a file that is wrong as a whole is told, though no server can tell of it", () => {
  const error = {
    path: "/home/me/.cursor/mcp.json",
    severity: "error",
    error: "invalid [x](command:y)",
  } as const;
  const broken = view({ servers: [server()], errors: [error, { ...error, error: "second" }] });
  const { text, background, tooltip } = statusOf(broken, []);
  assert.equal(text, "$(error) MCP 1/1");
  assert.equal(background, "statusBarItem.warningBackground");
  assert.match(tooltip, /^Problem in \\\.cursor.*invalid \\\[x\\\]/);
  assert.doesNotMatch(tooltip, /second/);
  assert.equal(statusOf(view({ errors: [error] }), []).background, "statusBarItem.warningBackground");
  const [first] = actionsOf(broken, []);
  assert.equal(first?.command, "workbench.actions.view.problems");
  assert.equal(first?.description, ".cursor/mcp.json: invalid [x](command:y)");
  const others = [
    { ...error, severity: "warning" as const },
    { ...error, server: "a" },
    { ...error, path: "mcp:a" },
  ];
  assert.equal(statusOf(view({ servers: [server()], errors: others }), []).text, "$(plug) MCP 1/1");
});

const failure = {
  code: "exited",
  stage: "initialize",
  message: 'server "s0": exited',
  hint: "look at it",
} as const;

function failing(phase: Phase, attempt = 1): Server {
  return server({ name: "s0", phase, status: "disconnected", attempt, error: failure });
}

test("a failing server is told once until it works again", () => {
  const nobody: ReadonlySet<string> = new Set();
  const first = newsOf(nobody, [failing("failed")]);
  assert.deepEqual(first.fresh.length, 1);
  const still = newsOf(first.told, [failing("starting", 2)]);
  const again = newsOf(still.told, [failing("failed", 2)]);
  assert.deepEqual(again.fresh, []);
  const works = newsOf(again.told, [server({ name: "s0" })]);
  assert.deepEqual(works.told, nobody);
  assert.equal(newsOf(works.told, [failing("suspended")]).fresh.length, 1);
  assert.deepEqual(newsOf(again.told, []).told, nobody, "one that is removed is forgotten");
});

test("a server that is tried again is told when trying has not helped", () => {
  assert.deepEqual(newsOf(new Set(), [failing("backoff", 3)]).fresh, []);
  assert.equal(newsOf(new Set(), [failing("backoff", 4)]).fresh.length, 1);
  for (const phase of ["invalid", "untrusted", "needs-input", "stopped"] as const) {
    assert.deepEqual(newsOf(new Set(), [failing(phase)]).fresh, [], phase);
  }
});

test("a message names the server, the cause and what to do, and has no links", () => {
  assert.equal(messageOf([failing("failed")]), 'MCP server "s0": exited. Look at it');
  const bare = server({ name: "s", error: { ...failure, message: "[a](command:b)", hint: "" } });
  assert.equal(messageOf([bare]), 'MCP server "s": [a]\\x28command:b)');
  assert.equal(messageOf(servers("failed", "failed")), "2 MCP servers do not work: s0, s1.");
});

test("that the sidecar is started again is told once for a row of ends, and its last end always", () => {
  const first = endOf(true, undefined, 1000);
  assert.deepEqual(first, { tell: "again", toldAt: 1000 });
  assert.equal(endOf(true, first.toldAt, 5000).tell, undefined);
  assert.equal(endOf(true, first.toldAt, 1000 + WINDOW_MS).tell, "again");
  assert.equal(endOf(false, first.toldAt, 5000).tell, "over");
});

test("why it ended is said in few words", () => {
  const end = (how: ConstructorParameters<typeof SidecarClosedError>[1]) =>
    reasonOfEnd(new SidecarClosedError("long\n stderr: x", how));
  assert.equal(end({ signal: "SIGKILL" }), "it was killed by SIGKILL");
  assert.equal(end({ exitCode: 2 }), "it ended with exit code 2");
  assert.equal(end({}), "long");
});

test("a reason is a sentence, whatever it ends with", () => {
  assert.equal(ended("it was killed"), "it was killed.");
  assert.equal(ended("Is it mcp-sidecar?"), "Is it mcp-sidecar?");
  assert.equal(ended("and so on…"), "and so on…");
});

test("only the rows of what has changed are shown anew", () => {
  const [a, b] = [server({ name: "a" }), server({ name: "b" })];
  const tools = [tool({ name: "t" }, { server: "b" })];
  const before = { view: view({ servers: [a, b], tools }), off: [] };
  const after = (given: object, off: string[] = []) => ({ view: { ...before.view, ...given }, off });
  assert.deepEqual(changedServers(before, after({ servers: [a, server({ name: "b" })] })), ["b"]);
  assert.deepEqual(changedServers(before, after({ tools: [tool({ name: "u" }, { server: "b" })] })), ["b"]);
  assert.deepEqual(changedServers(before, after({}, ["a/x"])), ["a"]);
  assert.deepEqual(changedServers(before, after({})), []);
  assert.equal(changedServers(before, after({ servers: [a] })), undefined);
  assert.deepEqual(changedServers(before, after({ errors: [] })), ["a", "b"]);
  assert.equal(changedServers(before, { view: empty({ kind: "starting" }), off: [] }), undefined);
});

test("the time of the next attempt is counted from when it was told", () => {
  let now = 1000;
  const retries = new Retries(() => now);
  const waiting = server({ phase: "backoff", nextRetryMs: 500 });
  retries.see([waiting, server()]);
  now = 1200;
  retries.see([waiting]);
  assert.equal(retries.msUntil(waiting), 300);
  now = 9000;
  assert.equal(retries.msUntil(waiting), 0);
  assert.equal(retries.msUntil(server()), undefined);
});
