/** How servers and tools are shown: see src/overview/server_item.ts and tool_item.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Phase, Server } from "mcp-sidecar";
import { idOf, serverOf, toolOf } from "../../src/nodes.js";
import { entriesOf } from "../../src/overview/entries.js";
import { serverItem, serverTooltip } from "../../src/overview/server_item.js";
import { toolItem, toolTooltip } from "../../src/overview/tool_item.js";
import { server, tool, view } from "./samples.js";

const known = { off: false, errors: [] };
const here = { roots: ["/work"], home: "/home/me" };
const failure = {
  code: "exited",
  stage: "initialize",
  message: 'server "files": exited with status 3',
} as const;

test("a server's row says the one thing that matters in its phase", () => {
  const table: readonly (readonly [given: Partial<Server>, description: string])[] = [
    [{ tools: { count: 14, from: "live" }, timings: { connectMs: 300, listMs: 20 } }, "14 tools · 320 ms"],
    [{ tools: { count: 1, from: "live", off: ["a", "b"] } }, "1 tool, 2 off"],
    [{ phase: "starting", status: "connecting", tools: { count: 0, from: "none" } }, "starting"],
    [
      { phase: "starting", status: "connecting", activity: "10 %\r\u001b[1m20 %", attempt: 2 },
      "starting: 20 % · attempt 2 · 2 tools known",
    ],
    [{ phase: "failed", status: "disconnected", error: failure }, "failed · exited with status 3"],
    [{ phase: "untrusted", status: "disconnected" }, "not trusted"],
    [{ phase: "disabled", status: "disconnected" }, "off in its file"],
  ];
  for (const [given, description] of table) {
    assert.equal(serverItem(server(given), known).description, description);
  }
  const retried = server({ phase: "backoff", status: "disconnected", error: failure, nextRetryMs: 9000 });
  const item = serverItem(retried, { ...known, retryMs: 3500 });
  assert.equal(item.description, "retrying in 4 s · exited with status 3");
});

test("what the user has switched off is not called off in its file", () => {
  const off = server({ phase: "disabled", status: "disconnected" });
  assert.equal(serverItem(off, { ...known, off: true }).description, "switched off");
  assert.equal(serverItem(off, { ...known, off: true }).checked, false);
  assert.equal(serverItem(off, known).checked, false);
  assert.equal(serverItem(server(), known).checked, true);
});

test("warnings about a server are counted, and its own error is not said twice", () => {
  const about = { path: "/x", server: "files", severity: "warning" } as const;
  const errors = [
    { ...about, error: "a key is unknown" },
    { ...about, server: "other", error: "b" },
  ];
  assert.equal(serverItem(server(), { ...known, errors }).description, "2 tools · 1 warning");
  const failed = server({ phase: "failed", status: "disconnected", error: failure });
  const repeated = [{ ...about, path: "mcp:files", severity: "error" as const, error: failure.message }];
  const tooltip = serverTooltip(failed, { ...known, errors: repeated }, here);
  assert.equal(tooltip.split("exited with status 3").length, 2);
});

test("what is wrong at two places of an entry is said once", () => {
  const about = { path: "/x", server: "files", severity: "warning", error: "no such input" } as const;
  const errors = [
    { ...about, column: 1 },
    { ...about, column: 9 },
  ];
  assert.equal(serverTooltip(server(), { ...known, errors }, here).split("no such input").length, 2);
});

test("a tooltip names what the view has to help, not what other hosts have", () => {
  const error = { ...failure, hint: "mcp/connect" };
  const tooltip = (phase: Phase, off = false) =>
    serverTooltip(server({ phase, status: "disconnected", error }), { ...known, off }, here);
  for (const [shown, word] of [
    [tooltip("untrusted"), "shield"],
    [tooltip("needs-input"), "Connect"],
    [tooltip("disabled", true), "checkbox"],
  ] as const) {
    assert.match(shown, new RegExp(`^→ .*${word}`, "m"));
    assert.doesNotMatch(shown, /mcp\\?\/connect/);
  }
  assert.match(tooltip("failed"), /^→ mcp\\\/connect$/m);
});

test("the menus get what fits the phase", () => {
  const phases: { readonly [P in Phase]: string } = {
    starting: "disconnectable",
    initializing: "disconnectable",
    listing: "disconnectable",
    ready: "disconnectable",
    backoff: "connectable disconnectable",
    failed: "connectable",
    suspended: "connectable",
    "needs-auth": "connectable",
    "needs-input": "connectable",
    untrusted: "",
    disabled: "connectable",
    invalid: "",
    stopped: "connectable",
    removed: "",
  };
  for (const [phase, words] of Object.entries(phases)) {
    const { context } = serverItem(server({ phase: phase as Phase }), known);
    assert.equal(context, ["server", phase, ...(words === "" ? [] : [words]), "file"].join(" "));
  }
  const ofSettings = server({ source: { ...server().source, level: "host", path: "" } });
  assert.doesNotMatch(serverItem(ofSettings, known).context, /\bfile\b/);
});

test("a phase of a newer sidecar is shown by its status", () => {
  const { look, description } = serverItem(
    server({ phase: "warming" as Phase, status: "connecting" }),
    known,
  );
  assert.equal(look.icon, "loading~spin");
  assert.match(description, /^warming/);
  assert.equal(serverItem(server({ phase: "toString" as Phase }), known).look.kind, "ready");
});

test("a tooltip has all there is to say, and links to the entry", () => {
  const shown = serverTooltip(
    server({
      pid: 42,
      protocolVersion: "2025-11-25",
      serverInfo: { name: "fs", version: "1.2" },
      timings: { spawnMs: 5, initializeMs: 7, listMs: 3 },
      instructions: "Use it.",
    }),
    known,
    here,
  );
  assert.match(
    shown,
    /\[\\~\\\/\\\.config.*\\:3\]\(file:\/\/\/home\/me\/\.config\/mcp-sidecar\/mcp\.json#L3\)/,
  );
  for (const part of ["stdio · process 42 · MCP 2025\\-11\\-25 · fs 1\\.2", "start 5 ms", "Use it\\."]) {
    assert.ok(shown.includes(part), part);
  }
});

test("nothing that a server says becomes Markdown", () => {
  const evil = "[x](command:y) <b> `c` $(bug) **d**\n# e\nhttps://f";
  const shown = serverTooltip(
    server({
      name: evil,
      phase: "failed",
      protocolVersion: evil,
      serverInfo: { title: evil, version: evil },
      instructions: evil,
      error: { ...failure, message: evil, hint: evil, stderr: [evil, "```", evil] },
      source: { ...server().source, providerName: evil, aliases: [{ name: evil, path: "/a" }] },
    }),
    { ...known, errors: [{ path: "/x", server: evil, error: `${evil}!`, severity: "warning" }] },
    here,
  );
  // Outside of the one block of code, all punctuation of it is escaped.
  const outside = shown.replace(/^````text\n[\s\S]*?\n````$/m, "");
  assert.notEqual(outside, shown);
  assert.doesNotMatch(outside, /(?<!\\)<|\]\(command|(?<!\\)`|https:|(?<!\\)\$/);
});

test("a tool's row has its title, its own name, and what it may do", () => {
  const row = (given: Parameters<typeof tool>[0], more = {}) =>
    toolItem({ own: given.name, tool: tool(given, more) });
  assert.deepEqual(row({ name: "read", title: "Read a File", annotations: { readOnlyHint: true } }), {
    label: "Read a File",
    description: "read · read-only",
    icon: "tools",
    checked: true,
    context: "tool live callable",
  });
  const later = row({ name: "rm", annotations: { destructiveHint: true } }, { state: "deferred" });
  assert.equal(later.description, "destructive · not connected yet");
  assert.equal(later.context, "tool deferred callable");
  assert.equal(
    row({ name: "a", annotations: { title: "A", readOnlyHint: true, destructiveHint: true } }).description,
    "a · read-only",
  );
  const off = toolItem({ own: "rm" });
  assert.deepEqual([off.description, off.checked, off.context], ["off", false, "tool off"]);
});

test("definitions as servers write them are survived", () => {
  for (const definition of [
    { name: "a", title: 7, description: null, annotations: "x" },
    { name: "a", title: " ", annotations: { title: [] } },
    { name: "a", annotations: null },
  ]) {
    const entry = { own: "a", tool: tool(definition as unknown as { name: string }) };
    assert.equal(toolItem(entry).label, "a");
    assert.match(toolTooltip("files", entry), /^\*\*a\*\*/);
  }
});

test("the tools of a server are those it has, and those that are off, at once", () => {
  const tools = [tool({ name: "b" }), tool({ name: "c" }), tool({ name: "x" }, { server: "other" })];
  const listed = server({ tools: { count: 2, from: "live", off: ["a"] } });
  const names = entriesOf(listed, view({ tools }), ["files/c", "files/a", "other"]).map(
    ({ own, tool }) => own + (tool === undefined ? " off" : ""),
  );
  assert.deepEqual(names, ["a off", "b", "c off"]);
});

test("commands understand nodes, names, and nothing", () => {
  const node = { kind: "tool", server: "files", name: "mcp_files_a", tool: "a" } as const;
  assert.equal(serverOf("files"), "files");
  assert.equal(serverOf({ kind: "server", name: "files" }), "files");
  assert.equal(serverOf(node), "files");
  assert.equal(toolOf(node), "mcp_files_a");
  assert.equal(toolOf("mcp_files_a"), "mcp_files_a");
  assert.equal(toolOf({ ...node, name: "" }), undefined);
  for (const other of [undefined, null, 7, {}, { kind: "server" }, { kind: "file", name: "x" }, [node]]) {
    assert.equal(serverOf(other), undefined);
    assert.equal(toolOf(other), undefined);
  }
  // A server may be called like a tool of another one.
  assert.notEqual(idOf({ kind: "server", name: "files/a" }), idOf(node));
});

test("a server that the editor runs as well says so", () => {
  assert.match(
    serverTooltip(server(), { ...known, editors: true }, here),
    /VS Code runs this server as well/,
  );
  assert.doesNotMatch(serverTooltip(server(), { ...known, editors: false }, here), /as well/);
});
