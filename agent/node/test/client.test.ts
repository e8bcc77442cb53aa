import assert from "node:assert/strict";
import { test } from "node:test";
import { SidecarClient, type SidecarEvents } from "../src/client.js";
import { InvalidArgumentError, ProtocolVersionError, ResponseError } from "../src/errors.js";
import { ErrorCode } from "../src/protocol.gen.js";
import { VERSION } from "../src/version.js";
import { MemoryTransport } from "./memory-transport.js";
import { opened, push, server, snapshot, tool, welcome } from "./opened.js";
import { strayError } from "./stray-errors.js";

const names = (client: SidecarClient) => client.tools.map(({ name }) => name);

test("initialize says who and where, and gives the first set", async () => {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport);
  assert.deepEqual([client.tools, client.revision, client.info, client.methods], [[], 0, undefined, []]);
  assert.equal(client.guest, false);
  const opening = client.initialize({ cwd: "/project", processId: 7, settings: { enabled: true } });
  assert.deepEqual(transport.last, {
    jsonrpc: "2.0",
    id: 1,
    method: "runtime/initialize",
    params: {
      protocolVersion: 1,
      client: { name: "mcp-sidecar-node", version: VERSION },
      capabilities: {},
      cwd: "/project",
      processId: 7,
      settings: { enabled: true },
    },
  });
  const errors = [{ path: ".mcp.json", error: "bad", severity: "error" as const }];
  const first = snapshot(1, [tool("a", "x")], { servers: [server("a")], errors, exaApiKeys: ["k"] });
  transport.say({ id: 1, result: welcome(first) });
  assert.deepEqual((await opening).snapshot, first);
  assert.deepEqual(
    [client.tools, client.servers, client.errors, client.exaApiKeys, client.revision, client.hash],
    [first.tools, first.servers, first.errors, ["k"], 1, first.hash],
  );
  assert.deepEqual([client.info?.name, client.guest], ["mcp-sidecar", false]);
  assert.deepEqual(client.methods, ["runtime/configure", "tools/call"]);
});

test("a push in the same chunk as the first answer is applied to what that brought", async () => {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport);
  const opening = client.initialize({ cwd: "/project" });
  transport.say(
    { id: 1, result: welcome(snapshot(1, [tool("a", "x")])) },
    push([1, 2], { added: [tool("b", "y")] }),
  );
  assert.deepEqual(names(client), ["mcp_a_x", "mcp_b_y"]);
  assert.equal(transport.sent("tools/snapshot").length, 0);
  await opening;
});

test("answers to reload and configure are taken, whoever asked, and told as a change", async () => {
  const cases: [(client: SidecarClient) => Promise<unknown>, string][] = [
    [(client) => client.reload(), "reload"],
    [(client) => client.configure({ settings: { disabled: ["a"] } }), "configure"],
    [(client) => client.request("mcp/reload", { mode: "changed" }), "reload"],
    [(client) => client.request("runtime/configure", {}), "configure"],
  ];
  for (const [ask, reason] of cases) {
    const { transport, client } = await opened([tool("a", "x")]);
    const changes: SidecarEvents["toolsChanged"][] = [];
    client.on("toolsChanged", (change) => changes.push(change));
    const asked = ask(client);
    const next = snapshot(2, [tool("b", "y")]);
    transport.say({ id: 2, result: { snapshot: next } }, push([2, 3], { added: [tool("c", "z")] }));
    assert.deepEqual(names(client), ["mcp_b_y", "mcp_c_z"]);
    assert.deepEqual(
      changes.map((change) => [change.reason, change.revision, change.tools.length]),
      [
        [reason, 2, 1],
        ["connected", 3, 2],
      ],
    );
    assert.deepEqual(changes[0]?.removed, ["mcp_a_x"]);
    await asked;
  }
});

test("a reload that was abandoned still brings its answer's set", async () => {
  const { transport, client } = await opened([tool("a", "x")]);
  const abort = new AbortController();
  const reload = client.reload("full", { signal: abort.signal });
  abort.abort();
  await assert.rejects(reload, { name: "AbortError" });
  transport.say({ id: 2, result: { snapshot: snapshot(2, []) } });
  assert.deepEqual([client.revision, client.tools], [2, []]);
});

test("after an abandoned initialize the set comes as a push from nothing", async () => {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport);
  const abort = new AbortController();
  const opening = client.initialize({ cwd: "/project" }, { signal: abort.signal });
  abort.abort();
  await assert.rejects(opening, { name: "AbortError" });
  transport.say(push([0, 1], { added: [tool("a", "x")] }));
  assert.deepEqual(names(client), ["mcp_a_x"]);
  transport.say(push([2, 3], {}));
  assert.equal(transport.sent("tools/snapshot").length, 1, "no other answer would bring what was missed");
});

test("what is pushed while initialize is awaited is part of the first set: not told, and nothing is asked", async () => {
  const transport = new MemoryTransport();
  const changes: SidecarEvents["toolsChanged"][] = [];
  const client = new SidecarClient(transport, {
    listeners: { toolsChanged: (change) => changes.push(change) },
  });
  const opening = client.initialize({ cwd: "/project" });
  transport.say(push([3, 4], {}), push([0, 1], { added: [tool("a", "x")] }));
  assert.deepEqual([names(client), transport.texts.length], [["mcp_a_x"], 1]);
  transport.say({ id: 1, result: welcome(snapshot(4, [tool("b", "y")])) });
  assert.deepEqual([names(client), changes], [["mcp_b_y"], []]);
  transport.say(push([4, 5], { removed: ["mcp_b_y"] }));
  assert.deepEqual(
    changes.map(({ revision }) => revision),
    [5],
    "the same chunk, but after the first set",
  );
  await opening;
});

test("what is pushed while a second initialize is refused is told", async () => {
  const { transport, client } = await opened([tool("a", "x")]);
  const changes: SidecarEvents["toolsChanged"][] = [];
  client.on("toolsChanged", (change) => changes.push(change));
  const again = client.initialize({ cwd: "/project" });
  transport.say(push([1, 2], { removed: ["mcp_a_x"] }));
  assert.deepEqual(
    changes.map(({ revision }) => revision),
    [2],
  );
  transport.say({ id: 2, error: { code: ErrorCode.InvalidRequest, message: "repeated" } });
  await assert.rejects(again, { name: "ResponseError" });
});

test("a gap is closed by one snapshot, however many pushes show it", async () => {
  const { transport, client } = await opened([tool("a", "x")]);
  const changes: SidecarEvents["toolsChanged"][] = [];
  client.on("toolsChanged", (change) => changes.push(change));
  transport.say(push([2, 3], { removed: ["mcp_a_x"] }), push([3, 4], { added: [tool("b", "y")] }));
  assert.deepEqual(transport.sent("tools/snapshot").length, 1);
  assert.deepEqual([client.revision, names(client), changes], [1, ["mcp_a_x"], []]);
  const now = snapshot(4, [tool("b", "y"), tool("c", "z")]);
  transport.say({ id: 2, result: now }, push([4, 5], { removed: ["mcp_b_y"] }));
  assert.deepEqual([client.revision, names(client)], [5, ["mcp_c_z"]]);
  assert.deepEqual(
    changes.map(({ reason, added, removed }) => [reason, added.length, removed]),
    [
      ["snapshot", 2, ["mcp_a_x"]],
      ["connected", 0, ["mcp_b_y"]],
    ],
  );
  transport.say(push([7, 8], {}));
  assert.deepEqual(transport.sent("tools/snapshot").length, 2, "the next gap is asked about again");
  assert.equal(transport.holds.at(-1), false, "nobody's program is kept alive for it");
});

test("a refused snapshot is asked for again when the next push shows the gap", async () => {
  const { transport } = await opened();
  transport.say(push([2, 3], {}), { id: 2, error: { code: 1007, message: "overloaded" } }, push([3, 4], {}));
  assert.deepEqual(transport.sent("tools/snapshot").length, 2);
});

test("a snapshot that says it is unchanged, or is older, changes nothing", async () => {
  const { transport, client } = await opened([tool("a", "x")]);
  const { tools } = client;
  const asked = client.request("tools/snapshot", { ifRevision: 1 });
  const older = client.request("tools/snapshot", {});
  transport.say({ id: 2, result: { revision: 1, unchanged: true } });
  transport.say(push([1, 2], { added: [tool("b", "y")] }), { id: 3, result: snapshot(1, []) });
  await Promise.all([asked, older]);
  assert.equal(client.revision, 2);
  assert.equal(client.tools[0], tools[0]);
});

test("statuses, diagnostics and logs are kept and told", async () => {
  const heard: unknown[] = [];
  const hear = (event: unknown) => heard.push(event);
  const { transport, client } = await opened([tool("a", "x")], {
    listeners: { status: hear, diagnostics: hear, log: hear },
  });
  const status = server("a", {
    phase: "backoff",
    status: "disconnected",
    tools: { count: 1, from: "cache" },
  });
  const errors = [{ path: "mcp:a", error: "gone", severity: "error" }];
  const log = { level: "info", message: "hello" };
  transport.say({ method: "mcp/status", params: status });
  transport.say({ method: "config/diagnostics", params: { errors } });
  transport.say({ method: "runtime/log", params: log });
  assert.deepEqual(heard, [status, errors, log]);
  assert.deepEqual([client.servers, client.errors], [[status], errors]);
  assert.equal(client.tools[0]?.state, "deferred");
});

test("what is told about resources, prompts and elicitations has its event", async () => {
  const { transport, client } = await opened();
  const heard: unknown[] = [];
  const events = {
    "resources/changed": "resourcesChanged",
    "resources/updated": "resourceUpdated",
    "prompts/changed": "promptsChanged",
    "elicitation/complete": "elicitationComplete",
  } as const;
  for (const [method, event] of Object.entries(events)) {
    client.on(event, (params) => heard.push([event, params]));
    transport.say({ method, params: { server: method } });
  }
  assert.deepEqual(
    heard,
    Object.entries(events).map(([method, event]) => [event, { server: method }]),
  );
});

test("notifications that are not known are ignored", async () => {
  const { transport, client } = await opened();
  transport.say({ method: "future/thing", params: { a: 1 } }, { method: "future/other" });
  assert.equal(client.closed, undefined);
});

test("a call names its tool in either way, and leaves out what is not given", async () => {
  const { transport, client } = await opened();
  void client.call("mcp_a_x", { b: 1, a: 2 }).catch(() => {});
  void client.call({ server: "a", tool: "x" }, undefined, { timeoutMs: 5 }).catch(() => {});
  void client.call("y", {}, { maxBytes: 6 }).catch(() => {});
  assert.deepEqual(transport.texts.slice(1), [
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_a_x","arguments":{"b":1,"a":2}}}',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call",' +
      '"params":{"server":"a","tool":"x","timeoutMs":5,"arguments":{}}}',
    '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"y","maxBytes":6,"arguments":{}}}',
  ]);
  transport.die("enough");
});

test("a model's own arguments are sent byte for byte", async () => {
  const { transport, client } = await opened();
  const text = '{ "n": 12345678901234567890, "f": 1.0,\n "b": 1, "a": 2 }';
  void client.call("x", text).catch(() => {});
  assert.ok(transport.texts.at(-1)?.endsWith(`"arguments":${text}}}`));
  transport.die("enough");
});

test("what is no JSON object is refused before anything is sent", async () => {
  const { transport, client } = await opened();
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const cases: [unknown, RegExp][] = [
    ["", /not JSON .*: an empty text/],
    ["{", /not JSON/],
    ['{"a":1} x', /not JSON/],
    ["[1]", /a JSON object, not \[1\]/],
    ["null", /a JSON object, not null/],
    ['"text"', /a JSON object, not "text"/],
    [[1], /a JSON object, not \[1\]/],
    [() => 1, /a JSON object, not a function/],
    [{ n: 1n }, /cannot be written as JSON: .*BigInt/],
    [circular, /cannot be written as JSON: .*circular/i],
  ];
  for (const [args, why] of cases) {
    await assert.rejects(client.call("x", args as object), (error) => {
      assert.ok(error instanceof InvalidArgumentError);
      assert.match(error.message, why);
      return true;
    });
  }
  await assert.rejects(client.call({ name: "x" } as never), InvalidArgumentError);
  await assert.rejects(client.call(undefined as never), InvalidArgumentError);
  assert.equal(transport.texts.length, 1);
});

test("options that do not exist are refused: what was meant would have its default", async () => {
  const { transport, client } = await opened();
  const timeout = { timeout: 5 } as never;
  const cases: [Promise<unknown>, string][] = [
    [client.call("x", {}, timeout), "call: signal, onProgress, timeoutMs, maxBytes"],
    [client.search("x", timeout), "search: signal, limit"],
    [client.connect("x", timeout), "connect: signal, restart"],
    [client.wait(timeout), "wait: signal, servers, timeoutMs"],
    [client.logs("x", timeout), "logs: signal, lines, after"],
    [client.doctor(timeout), "doctor: signal, server"],
    [client.reload("full", timeout), "request: signal"],
    [
      client.initialize({ cwd: "/", timeout: 5 } as never),
      "initialize: cwd, workspaceFolders, processId, settings",
    ],
  ];
  for (const [refused, words] of cases) {
    const message = words.replace(": ", ': there is no option "timeout"; there are ');
    await assert.rejects(refused, { name: "InvalidArgumentError", message });
  }
  assert.equal(transport.texts.length, 1);
  assert.throws(() => new SidecarClient(new MemoryTransport(), timeout), {
    message:
      'SidecarClient: there is no option "timeout"; there are client, handlers, capabilities, listeners, trace',
  });
});

test("params that JSON has no word for are refused, and never thrown", async () => {
  const { transport, client } = await opened();
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const asks: [() => Promise<unknown>, RegExp][] = [
    [() => client.configure({ settings: circular }), /^runtime\/configure: .*circular/i],
    [() => client.request("mcp/servers", circular as never), /^mcp\/servers: .*circular/i],
    [() => client.connect(circular as never), /^mcp\/connect: .*circular/i],
    [() => client.call("x", {}, { timeoutMs: Number.NaN }), /^tools\/call: timeoutMs is NaN/],
    [() => client.wait({ timeoutMs: Number.POSITIVE_INFINITY }), /^mcp\/wait: timeoutMs is Infinity/],
  ];
  for (const [ask, why] of asks) {
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof InvalidArgumentError);
      assert.match(error.message, why);
      return true;
    });
  }
  assert.equal(transport.texts.length, 1);
});

test("progress goes to its call, before the result, and not after an abort", async () => {
  const { transport, client } = await opened();
  const heard: unknown[] = [];
  const abort = new AbortController();
  const calls = ["a", "b"].map((name) =>
    client.call(name, {}, { onProgress: (p) => heard.push([name, p.progress]), signal: abort.signal }),
  );
  const tokens = transport.sent("tools/call").map(({ params }) => params.progressToken);
  const say = (i: number, progress: number) =>
    transport.say({ method: "$/progress", params: { token: tokens[i], value: { progress } } });
  say(1, 1);
  say(0, 2);
  transport.say({ method: "$/progress", params: { token: "else's", value: { progress: 9 } } });
  transport.say({ method: "$/progress" });
  transport.say({ id: 2, result: { result: { content: [] }, details: {} } });
  await calls[0];
  say(0, 3);
  abort.abort();
  say(1, 4);
  await assert.rejects(calls[1] as Promise<unknown>, { name: "AbortError" });
  assert.deepEqual(heard, [
    ["b", 1],
    ["a", 2],
  ]);
});

test("a progress listener that throws does not harm its call", async (t) => {
  const stray = strayError(t);
  const { transport, client } = await opened();
  const call = client.call(
    "x",
    {},
    {
      onProgress: () => {
        throw new Error("mine");
      },
    },
  );
  const token = transport.last.params.progressToken;
  transport.say({ method: "$/progress", params: { token, value: { progress: 1 } } });
  transport.say({ id: 2, result: { result: { content: [], isError: true }, details: {} } });
  assert.equal((await call).result.isError, true);
  assert.equal(((await stray) as Error).message, "mine");
});

test("each method sends its request, and gives what is in the answer", async () => {
  const { transport, client } = await opened();
  const record = server("a");
  const cases: [() => Promise<unknown>, string, object, object, unknown][] = [
    [() => client.search("q", { limit: 3 }), "tools/search", { query: "q", limit: 3 }, { tools: [1] }, [1]],
    [() => client.search("q"), "tools/search", { query: "q" }, { tools: [] }, []],
    [() => client.connect("a"), "mcp/connect", { server: "a" }, record, record],
    [
      () => client.connect("a", { restart: true }),
      "mcp/connect",
      { server: "a", restart: true },
      record,
      record,
    ],
    [() => client.disconnect("a"), "mcp/disconnect", { server: "a" }, record, record],
    [() => client.wait(), "mcp/wait", {}, { pending: [] }, { pending: [] }],
    [
      () => client.wait({ servers: ["a"], timeoutMs: 1 }),
      "mcp/wait",
      { servers: ["a"], timeoutMs: 1 },
      {},
      {},
    ],
    [() => client.logs("a", { lines: 2, after: 3 }), "mcp/logs", { server: "a", lines: 2, after: 3 }, {}, {}],
    [() => client.doctor(), "mcp/doctor", {}, { findings: [] }, { findings: [] }],
    [() => client.doctor({ server: "a" }), "mcp/doctor", { server: "a" }, {}, {}],
    [() => client.request("mcp/servers", {}), "mcp/servers", {}, { servers: [] }, { servers: [] }],
    [
      () => client.reload("changed"),
      "mcp/reload",
      { mode: "changed" },
      { snapshot: snapshot(1, []) },
      snapshot(1, []),
    ],
  ];
  for (const [ask, method, params, result, given] of cases) {
    const asked = ask();
    const sent = transport.last;
    assert.deepEqual([sent.method, sent.params], [method, params]);
    transport.say({ id: sent.id, result });
    assert.deepEqual(await asked, given);
  }
});

test("every method takes a signal", async () => {
  const { client } = await opened();
  const signal = AbortSignal.abort("no");
  const asks = [
    client.call("x", {}, { signal }),
    client.search("q", { signal }),
    client.reload("full", { signal }),
    client.configure({}, { signal }),
    client.connect("a", { signal }),
    client.disconnect("a", { signal }),
    client.wait({ signal }),
    client.logs("a", { signal }),
    client.doctor({ signal }),
    client.request("mcp/servers", {}, { signal }),
  ];
  const outcomes = await Promise.allSettled(asks);
  assert.deepEqual(
    new Set(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason)),
    new Set(["no"]),
  );
});

test("a sidecar of another version is an error that names both, in one sentence", async () => {
  const cases: [object, number[], RegExp][] = [
    [
      { result: { ...welcome(snapshot(1, [tool("a", "x")])), protocolVersion: 2 } },
      [2],
      /^this package speaks version 1 of the protocol, but the test speaks 2: install a newer npm package/,
    ],
    [
      { error: { code: -32602, message: "version", data: { supported: [0] } } },
      [0],
      /but the test speaks 0: install a newer mcp-sidecar/,
    ],
    [{ error: { code: -32602, message: "version", data: { supported: [2, 3] } } }, [2, 3], /speaks 2, 3: /],
    [
      { result: { ...welcome(snapshot(1, [])), protocolVersion: undefined } },
      [],
      /speaks none that it names: install a newer mcp-sidecar/,
    ],
  ];
  for (const [answer, supported, text] of cases) {
    const transport = new MemoryTransport();
    const client = new SidecarClient(transport);
    const opening = client.initialize({ cwd: "/project" });
    transport.say({ id: 1, ...answer });
    await assert.rejects(opening, (error) => {
      assert.ok(error instanceof ProtocolVersionError);
      assert.deepEqual([error.version, error.supported], [1, supported]);
      assert.match(error.message, text);
      return true;
    });
    assert.deepEqual(client.tools, [], "what an unknown version says is not taken");
  }
});

test("an answer that makes no sense fails its request with everything else", async () => {
  const { transport, client } = await opened();
  const [reload, call] = [client.reload(), client.call("x")];
  transport.say({ id: 2, result: { shot: 1 } });
  await assert.rejects(reload, /^SidecarClosedError: the test sent a message that makes no sense/);
  await assert.rejects(call, (error) => error === client.closed);
  assert.equal(transport.closes, 1);
});

test("a refused initialize may be repeated", async () => {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport);
  const refused = client.initialize({ cwd: "relative" });
  transport.say({ id: 1, error: { code: -32602, message: "cwd is not absolute" } });
  await assert.rejects(refused, ResponseError);
  const opening = client.initialize({ cwd: "/project" });
  transport.say({ id: 2, result: welcome(snapshot(1, [])) });
  await opening;
});

test("a program that repeats what it is sent is found out", async () => {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport);
  const opening = client.initialize({ cwd: "/project" });
  transport.say(transport.last);
  await assert.rejects(opening, /the test only repeats what it is sent: it is not mcp-sidecar/);
  assert.equal(transport.closes, 1);
});
