/** Sessions that are joined: a real sidecar, its owner and guests, all of them clients in this process. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { InvalidArgumentError, ResponseError, SidecarClosedError, SidecarError } from "../src/errors.js";
import type { CallOutcome } from "../src/mcp.js";
import { ErrorCode } from "../src/protocol.gen.js";
import { type JoinOptions, Sidecar } from "../src/sidecar.js";
import { lives, until, World } from "./world.js";

/** ENDPOINT is the variable by which a program is let in. */
const ENDPOINT = "MCP_SIDECAR_ENDPOINT";

/** failure is what joining fails with. It is one error, and does not have the secret of the endpoint. */
async function failure(world: World, endpoint?: string, options: JoinOptions = {}): Promise<SidecarError> {
  const joining = Sidecar.join(endpoint, { ...world.joining, ...options });
  const error = await joining.then(
    () => assert.fail("was let in"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SidecarError, inspect(error));
  const token = endpoint?.split("#")[1] ?? "";
  if (token !== "") assert.ok(!all(error).includes(token), "the error has the token");
  return error;
}

/** all is whatever can be seen of something. */
function all(thing: unknown): string {
  return inspect(thing, { showHidden: true, depth: Number.POSITIVE_INFINITY });
}

/** texts is what a call has answered. */
async function texts(sidecar: Sidecar, tool: string, args: object = {}): Promise<(string | undefined)[]> {
  const { result } = await sidecar.call(tool, args);
  return (result.content ?? []).map(({ text }) => text);
}

/** ending is the reason with which a session ends. */
function ending(sidecar: Sidecar): Promise<SidecarClosedError> {
  return new Promise((resolve) => sidecar.once("closed", resolve));
}

test("two guests and their owner have one set of tools, one server and one truth", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar({
    a: "tool x\nspare y\non tools/call x\n  tools x y\n  changed\n  default\n",
  });
  const endpoint = await owner.share();
  assert.equal(await owner.share(), endpoint);
  const guests = [await world.guest(endpoint), await world.guest(endpoint)];
  const every = [owner, ...guests];
  assert.deepEqual(
    every.map(({ guest }) => guest),
    [false, true, true],
  );
  assert.equal(new Set(every.map(({ pid }) => pid)).size, 3);
  for (const guest of guests) {
    assert.deepEqual([guest.revision, guest.hash], [owner.revision, owner.hash]);
    assert.deepEqual([guest.tools, guest.servers], [owner.tools, owner.servers]);
    assert.deepEqual([guest.info, guest.methods.includes("tools/call")], [owner.info, true]);
    assert.equal(guest.methods.includes("runtime/share"), false);
  }

  // What the server changes while it is called by one is pushed to all.
  const grown = every.map((each) => until(each, () => each.tools.length === 2));
  assert.deepEqual(await texts(guests[0] as Sidecar, "mcp_a_x", { by: 1 }), ['x {"by":1}']);
  await Promise.all(grown);
  assert.deepEqual(
    every.map(({ revision }) => revision),
    [2, 2, 2],
  );
  for (const each of every) {
    assert.deepEqual(await texts(each, "mcp_a_y", { n: 1 }), ['y {"n":1}']);
    assert.deepEqual([each.servers[0]?.pid], world.hub.pids);
  }
  assert.equal(world.hub.count("a started"), 1);
});

test("a guest that leaves takes its calls with it, and nothing else", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar({ a: "tool x\ntool hang\non tools/call hang\n  hold on\n" });
  const endpoint = await owner.share();
  const [leaving, staying] = [await world.guest(endpoint), await world.guest(endpoint)];
  const ended = ending(leaving);
  const call = leaving.call("mcp_a_hang");
  await world.hub.saw("a holding on");
  const closing = leaving.close();
  await assert.rejects(call, { name: "SidecarClosedError", message: "this program has left the session" });
  await world.hub.saw("a got notifications/cancelled");
  await closing;
  assert.equal(await ended, leaving.closed);
  assert.equal(lives(leaving.pid), false);
  assert.equal(lives(owner.pid), true);
  for (const each of [owner, staying]) assert.deepEqual(await texts(each, "mcp_a_x"), ["x {}"]);
  assert.equal(world.hub.count("a started"), 1);
});

test("when its owner ends a session, or dies, every guest is told with one reason", async (t) => {
  for (const end of [
    (owner: Sidecar) => owner.close(),
    (owner: Sidecar) => process.kill(owner.pid, "SIGKILL"),
  ]) {
    const world = await World.open(t);
    const owner = await world.sidecar({ a: "tool x\non tools/call x\n  hold on\n" });
    const endpoint = await owner.share();
    const guests = [await world.guest(endpoint), await world.guest(endpoint)];
    const ended = guests.map(ending);
    const call = (guests[0] as Sidecar).call("mcp_a_x").catch((reason: unknown) => reason);
    await world.hub.saw("a holding on");
    await end(owner);
    const outcome = await call; // the server ended under it, or nobody is left to say so
    if (outcome instanceof Error) assert.equal(outcome, guests[0]?.closed);
    else assert.equal((outcome as CallOutcome).result.isError, true);
    for (const [i, reason] of (await Promise.all(ended)).entries()) {
      assert.match(reason.message, /^the session that was joined has ended: its owner has closed it/);
      assert.equal(reason.exitCode, 0);
      assert.equal(guests[i]?.closed, reason);
    }
    await world.hub.empty();
    assert.match((await failure(world, endpoint)).message, /^cannot join the session: .*has ended/);
  }
});

test("the way to a session that is gone is told apart from the session", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar();
  const guest = await world.guest(await owner.share());
  const ended = ending(guest);
  process.kill(guest.pid, "SIGKILL");
  const { message, signal } = await ended;
  assert.match(
    message,
    /^the way to the session is gone: .* was killed by SIGKILL\. It may be joined again\.$/,
  );
  assert.equal(signal, "SIGKILL");
  const again = await world.guest(await owner.share());
  assert.equal(again.revision, owner.revision);
});

test("who is not let in is told why, in one error without the secret", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar();
  const endpoint = await owner.share();
  const stranger = createServer((socket) => socket.end("hello\n"));
  const path = join(world.dir, "stranger");
  await new Promise<void>((resolve) => stranger.listen(path, resolve));
  t.after(() => stranger.close());
  const cases: [string, RegExp][] = [
    [`${endpoint.slice(0, -1)}${endpoint.endsWith("0") ? 1 : 0}`, /: not let in: .*token/],
    [`unix:${join(world.dir, "nobody")}#a-secret`, /: the session has ended: nobody listens at .*nobody/],
    [`unix:${path}#a-secret`, /: this is no mcp-sidecar$/],
    ["nonsense#a-secret", /: it should be unix:PATH#TOKEN/],
  ];
  for (const [wrong, why] of cases) {
    const lines: string[] = [];
    const error = await failure(world, wrong, { stderr: (line) => lines.push(line) });
    assert.ok(error instanceof SidecarClosedError);
    assert.match(error.message, /^cannot join the session: MCP_SIDECAR_ENDPOINT: /);
    assert.match(error.message, why);
    assert.equal(error.exitCode, 1);
    assert.deepEqual(lines, error.stderr);
    assert.equal(error.message, `cannot join the session: ${lines.at(-1)?.replace("mcp-sidecar: ", "")}`);
  }
  assert.equal((await world.guest(endpoint)).guest, true);
});

test("an endpoint is taken from the environment, and its absence is told with what to do", async (t) => {
  const world = await World.open(t);
  const endpoint = await (await world.sidecar()).share();
  t.after(() => {
    delete process.env[ENDPOINT];
  });
  delete process.env[ENDPOINT];
  const env = { ...world.env, [ENDPOINT]: endpoint };
  assert.equal((await world.guest(undefined, { env })).guest, true);
  for (const nothing of [undefined, ""]) {
    const error = await failure(world, undefined, { env: { ...world.env, [ENDPOINT]: nothing } });
    assert.match(
      error.message,
      /^there is no session to join: MCP_SIDECAR_ENDPOINT is not set\..* sidecar\.share\(\)/,
    );
  }
  process.env[ENDPOINT] = endpoint;
  assert.equal((await world.guest()).guest, true);
  const without = { ...world.env, [ENDPOINT]: undefined };
  assert.match((await failure(world, undefined, { env: without })).message, /is not set/);
});

test("what is no endpoint is refused, and not shown", async (t) => {
  const world = await World.open(t);
  for (const wrong of [{ binary: "a#secret" }, 7, "", "unix:/x\0#secret"] as never[]) {
    const error = await Sidecar.join(wrong, world.joining).catch((reason: unknown) => reason);
    assert.ok(error instanceof InvalidArgumentError);
    assert.match(error.message, /^Sidecar\.join: the endpoint is the text/);
    assert.ok(!all(error).includes("secret"));
  }
});

test("the secret is in no argument, nothing that is printed, and no server's environment", async (t) => {
  const world = await World.open(t);
  const shared = await world.sidecar();
  const endpoint = await shared.share();
  const guest = await world.guest(endpoint);
  const token = endpoint.split("#")[1] ?? "";
  assert.ok(token.length > 8);
  for (const each of [guest, shared]) assert.ok(!all(each).includes(token));
  for (const { pid } of [guest, shared]) {
    assert.ok(!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(token));
  }
  // A program that was let in somewhere starts a session of its own: its servers are not, also if it insists.
  const env = { ...world.env, [ENDPOINT]: endpoint };
  const own = await world.sidecar({ a: `tool x\non tools/call x\n  env ${ENDPOINT}\n` }, { env });
  assert.deepEqual(await texts(own, "mcp_a_x"), [""]);
});

test("what is its owner's alone a guest may not do", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar({ a: "tool x\n" });
  const guest = await world.guest(await owner.share());
  for (const ask of [
    () => guest.reload(),
    () => guest.configure({ settings: {} }),
    () => guest.connect("a"),
    () => guest.disconnect("a"),
    () => guest.share(),
  ]) {
    await assert.rejects(ask, (error) => {
      assert.ok(error instanceof ResponseError);
      assert.equal(error.code, ErrorCode.NotPermitted);
      return true;
    });
  }
  assert.deepEqual((await guest.wait()).connected, ["a"]);
  assert.equal((await guest.search("x")).length, 1);
  assert.equal((await guest.doctor()).healthy, true);
});

test("an option that a guest has not, or nobody, is refused by type and by name", async (t) => {
  const world = await World.open(t);
  const options: [string, JoinOptions][] = [
    // @ts-expect-error: they are the owner's
    ["settings", { settings: {} }],
    // @ts-expect-error: they are the owner's
    ["workspaceFolders", { workspaceFolders: [] }],
    // @ts-expect-error: a guest is asked nothing
    ["handlers", { handlers: {} }],
    // @ts-expect-error: a guest is asked nothing
    ["capabilities", { capabilities: {} }],
    // @ts-expect-error: it means nothing for a guest
    ["cwd", { cwd: "/" }],
    // @ts-expect-error: a slip
    ["listener", { listener: {} }],
    // @ts-expect-error: not for others to say
    ["guest", { guest: false }],
  ];
  for (const [name, wrong] of options) {
    const { message } = await failure(world, "unix:/x#a-secret", wrong);
    const known = "client, listeners, trace, binary, args, env, stderr, signal";
    assert.equal(message, `Sidecar.join: there is no option "${name}"; there are ${known}`);
  }
});

test("a guest has a name, listeners from the beginning, and flags of its program", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar({ a: "tool x\n" });
  const log = join(world.dir, "log");
  const reasons: string[] = [];
  const guest = await world.guest(await owner.share(), {
    client: { name: "sub-agent", version: "1" },
    args: ["--log-file", log],
    listeners: { toolsChanged: ({ reason }) => reasons.push(reason) },
  });
  assert.match(readFileSync(`/proc/${guest.pid}/cmdline`, "utf8"), /\0--log-file\0.*\0attach\0/);
  await owner.disconnect("a");
  await until(guest, () => guest.tools.length === 0);
  assert.deepEqual(reasons, ["disconnected"]);
});

test("who is tired of a session that does not answer stops joining it", async (t) => {
  const world = await World.open(t);
  const mute = createServer();
  const path = join(world.dir, "mute");
  const knocked = new Promise((resolve) => mute.once("connection", resolve));
  await new Promise<void>((resolve) => mute.listen(path, resolve));
  t.after(() => mute.close());
  const abort = new AbortController();
  const joining = Sidecar.join(`unix:${path}#token`, { ...world.joining, signal: abort.signal });
  const failed = assert.rejects(joining, { message: "enough" });
  await knocked;
  abort.abort(new Error("enough"));
  await failed;
  const aborted = { ...world.joining, signal: AbortSignal.abort(new Error("before")) };
  await assert.rejects(Sidecar.join("unix:/x#y", aborted), { message: "before" });
});

test("what is no sidecar is told from a session that lets nobody in", async (t) => {
  const world = await World.open(t);
  const cases: [string, RegExp][] = [
    ["exit 1", /no ended with exit code 1 before it said anything\. Is it mcp-sidecar\?$/],
    ["echo usage >&2; exit 2", /no ended with exit code 2 before it said anything\n {2}stderr: usage$/],
    ["echo hello; cat >/dev/null", /no does not speak the protocol: it printed "hello\\n"/],
  ];
  for (const [text, message] of cases) {
    const binary = world.script("no", `#!/bin/sh\n${text}\n`);
    assert.match((await failure(world, "unix:/x#a-secret", { binary })).message, message);
  }
});
