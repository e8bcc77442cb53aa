import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "../src/mcp.js";
import { afterPush, afterSnapshot, afterStatus, NOTHING, type ToolSet } from "../src/toolset.js";
import { push, server, snapshot, tool } from "./opened.js";

function known(revision: number, tools: Tool[], more = {}): ToolSet {
  return afterSnapshot(NOTHING, snapshot(revision, tools, more), "snapshot").set;
}

function pushed(set: ToolSet, revisions: [number, number], more: object) {
  const step = afterPush(set, push(revisions, more).params);
  assert.notEqual(step, "gap");
  return step as Exclude<typeof step, "gap">;
}

const names = (tools: readonly Tool[]) => tools.map((each) => each.name);

test("the rule of pushes: ignore what is not newer, apply what follows, ask for the rest", () => {
  const set = known(3, [tool("a", "x")]);
  const cases: [[number, number], "ignored" | "applied" | "gap"][] = [
    [[1, 2], "ignored"],
    [[2, 3], "ignored"],
    [[3, 3], "ignored"],
    [[3, 4], "applied"],
    [[3, 9], "applied"],
    [[2, 4], "gap"],
    [[4, 5], "gap"],
    [[0, 4], "gap"],
  ];
  for (const [revisions, what] of cases) {
    const step = afterPush(set, push(revisions, { added: [tool("b", "y")] }).params);
    if (step === "gap") assert.equal(what, "gap", String(revisions));
    else assert.equal(step.set === set ? "ignored" : "applied", what, String(revisions));
  }
});

test("a push takes out, puts in and replaces, and leaves the set sorted", () => {
  const set = known(1, [tool("a", "x"), tool("c", "y"), tool("d", "z")]);
  const better = tool("d", "z", { definition: { name: "z", description: "better" } });
  const { set: next, change } = pushed(set, [1, 2], {
    added: [tool("b", "new")],
    updated: [better],
    removed: ["mcp_c_y"],
    servers: ["b", "c", "d"],
    reason: "listChanged",
  });
  assert.deepEqual(names(next.tools), ["mcp_a_x", "mcp_b_new", "mcp_d_z"]);
  assert.equal(next.tools[2]?.definition.description, "better");
  assert.equal(next.revision, 2);
  assert.equal(next.hash, "h2");
  assert.deepEqual(change, {
    tools: next.tools,
    added: [tool("b", "new")],
    updated: [better],
    removed: ["mcp_c_y"],
    servers: ["b", "c", "d"],
    reason: "listChanged",
    revision: 2,
    hash: "h2",
  });
});

test("tools are sorted by code units, as the sidecar sorts them", () => {
  const set = known(1, [tool("b", "x"), tool("B", "x"), tool("a-b", "x"), tool("a_b", "x")]);
  assert.deepEqual(names(set.tools), ["mcp_B_x", "mcp_a-b_x", "mcp_a_b_x", "mcp_b_x"]);
});

test("the first snapshot is no change, a later one is the difference that it makes", () => {
  const first = afterSnapshot(NOTHING, snapshot(1, [tool("a", "x"), tool("a", "y")]), "snapshot");
  assert.equal(first.change, undefined);
  const other = tool("a", "y", { definition: { name: "y", description: "other" } });
  const { change } = afterSnapshot(first.set, snapshot(4, [tool("b", "z"), other]), "reload");
  assert.deepEqual(names(change?.added ?? []), ["mcp_b_z"]);
  assert.deepEqual(names(change?.updated ?? []), ["mcp_a_y"]);
  assert.deepEqual(change?.removed, ["mcp_a_x"]);
  assert.deepEqual(change?.servers, ["a", "b"]);
  assert.equal(change?.reason, "reload");
  assert.equal(change?.revision, 4);
});

test("a snapshot that is older than what is known is not taken", () => {
  const set = known(3, [tool("a", "x")]);
  assert.equal(afterSnapshot(set, snapshot(2, []), "snapshot").set, set);
});

test("a snapshot of the same revision brings servers, errors and states", () => {
  const set = known(3, [tool("a", "x")]);
  const deferred = tool("a", "x", { state: "deferred" });
  const errors = [{ path: "mcp:a", error: "gone", severity: "error" as const }];
  const more = { servers: [server("a")], errors, exaApiKeys: ["key"] };
  const { set: next, change } = afterSnapshot(set, snapshot(3, [deferred], more), "snapshot");
  assert.equal(change, undefined);
  assert.deepEqual(next.tools, [deferred]);
  assert.deepEqual(next.servers, [server("a")]);
  assert.deepEqual(next.errors, errors);
  assert.deepEqual(next.exaApiKeys, ["key"]);
});

test("a snapshot whose tools are those that were left in between is no change", () => {
  const set = known(3, [tool("a", "x")]);
  const { set: next, change } = afterSnapshot(set, snapshot(5, [tool("a", "x")]), "snapshot");
  assert.equal(change, undefined);
  assert.equal(next.revision, 5);
  assert.equal(next.tools, set.tools);
});

test("the array of tools is new exactly when something in it changes", () => {
  const set = known(3, [tool("a", "x"), tool("b", "y")], { servers: [server("a")] });
  const same = afterSnapshot(set, snapshot(3, [tool("a", "x"), tool("b", "y")]), "snapshot").set;
  assert.equal(same.tools, set.tools);
  const one = [tool("a", "x"), tool("b", "y", { state: "deferred" })];
  const state = afterSnapshot(set, snapshot(3, one), "snapshot").set;
  assert.notEqual(state.tools, set.tools);
  assert.equal(state.tools[0], set.tools[0], "what is the same stays the same object");
  assert.equal(afterStatus(set, server("a")).tools, set.tools);
});

test("nothing that is given out can be changed", () => {
  const set = known(1, [tool("a", "x")], { servers: [server("a")] });
  const { set: next, change } = pushed(set, [1, 2], { added: [tool("b", "y")] });
  for (const value of [
    set.tools,
    set.servers,
    set.errors,
    set.exaApiKeys,
    next.tools,
    change,
    ...Object.values(change ?? {}),
  ]) {
    assert.ok(Object.isFrozen(value));
  }
});

test("a status replaces the record of its server, and takes out one that is removed", () => {
  let set = afterStatus(NOTHING, server("b"));
  set = afterStatus(set, server("a"));
  set = afterStatus(set, server("b", { phase: "failed", status: "disconnected" }));
  assert.deepEqual(
    set.servers.map(({ name, phase }) => [name, phase]),
    [
      ["a", "ready"],
      ["b", "failed"],
    ],
  );
  set = afterStatus(set, server("b", { phase: "removed" }));
  assert.deepEqual(
    set.servers.map(({ name }) => name),
    ["a"],
  );
});

test("the state of tools follows where a status says they are from", () => {
  const set = known(1, [tool("a", "x"), tool("b", "y")]);
  const states = (from: "live" | "cache" | "none", base = set) =>
    afterStatus(base, server("a", { tools: { count: 1, from } })).tools.map(({ state }) => state);
  assert.deepEqual(states("cache"), ["deferred", "live"]);
  for (const from of ["none", "future", "toString"]) {
    assert.deepEqual(states(from as "none"), ["live", "live"]);
  }
  const deferred = known(1, [tool("a", "x", { state: "deferred" }), tool("b", "y")]);
  assert.deepEqual(states("live", deferred), ["live", "live"]);
});
