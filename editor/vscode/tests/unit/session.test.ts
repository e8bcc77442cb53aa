/** The window's session, with the real program and scripted servers. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Settings } from "mcp-sidecar";
import { lives, required, World } from "../../../../agent/node/test/world.js";
import { LIMIT } from "../../src/restarts.js";
import { type Launch, Session } from "../../src/session.js";
import type { View } from "../../src/view.js";
import { within } from "../driver/patience.js";

const SERVES = "tool echo\n";

interface Stage {
  readonly world: World;
  readonly session: Session;
  /** pids are the processes that have run, and heard what was told of ends. */
  readonly pids: number[];
  readonly heard: { error: Error; again: boolean }[];
  launch(scripts?: Record<string, string>): Launch;
}

async function stage(t: TestContext): Promise<Stage> {
  const world = await World.open(t);
  const session = new Session();
  t.after(() => session.stop("closing"));
  const pids: number[] = [];
  const heard: Stage["heard"] = [];
  session.on("started", ({ pid }) => pids.push(pid));
  session.on("ended", (end) => heard.push(end));
  return {
    world,
    session,
    pids,
    heard,
    launch: (scripts = {}) => ({
      ...world.options(scripts),
      binary: () => required("MCP_SIDECAR_TEST_BINARY"),
    }),
  };
}

/** seen resolves with the first view that is as it is asked for, now or later. */
function seen(session: Session, fits: (view: View) => boolean): Promise<View> {
  const promise = new Promise<View>((resolve) => {
    const look = () => {
      if (!fits(session.view)) return;
      unlisten();
      resolve(session.view);
    };
    const unlisten = session.on("changed", look);
    look();
  });
  return within(`a view for which ${fits}`, promise);
}

const ready = (name: string) => (view: View) =>
  view.servers.some((server) => server.name === name && server.phase === "ready");

test("a session shows what its sidecar knows, and nothing after it was stopped", async (t) => {
  const { session, launch, heard } = await stage(t);
  assert.deepEqual(session.view.condition, { kind: "off", why: "restricted" });
  await session.start(launch({ a: SERVES }));
  const sidecar = await session.running();
  const view = await seen(session, ready("a"));
  assert.equal(view.condition.kind, "running");
  assert.equal(view.condition.kind === "running" && view.condition.pid, sidecar.pid);
  assert.equal(session.sidecar, sidecar);
  assert.deepEqual(
    view.servers.map(({ name }) => name),
    ["a"],
  );

  await session.stop("disabled");
  assert.equal(lives(sidecar.pid), false, "the process is gone when stop resolves");
  assert.equal(session.sidecar, undefined);
  assert.deepEqual(session.view, {
    condition: { kind: "off", why: "disabled" },
    servers: [],
    tools: [],
    errors: [],
  });
  assert.deepEqual(heard, [], "what was wished is no end to tell of");
});

/** For so long VS Code waits for extensions when a window closes. */
const VS_CODE_WAITS_MS = 5000;

test("a sidecar that hangs is gone before VS Code stops waiting for the end", async (t) => {
  const { session, launch } = await stage(t);
  await session.start(launch({ a: SERVES }));
  const { pid } = await session.running();
  assert.ok(pid !== undefined);
  await seen(session, ready("a"));
  process.kill(pid, "SIGSTOP");
  t.after(() => lives(pid) && process.kill(pid, "SIGKILL"));
  const waited = new AbortController();
  const end = pause(VS_CODE_WAITS_MS, "given up", { signal: waited.signal });
  assert.notEqual(await Promise.race([session.stop("closing"), end]), "given up");
  end.catch(() => {});
  waited.abort();
  assert.equal(lives(pid), false);
});

test("whoever asks right after the start waits for it", async (t) => {
  const { session, launch } = await stage(t);
  void session.start(launch());
  assert.equal((await session.running()).closed, undefined);
});

test("starts and stops take turns: of two starts one process is left", async (t) => {
  const { session, launch, pids } = await stage(t);
  void session.start(launch());
  void session.start(launch());
  const { pid } = await session.running();
  await seen(session, ({ condition }) => condition.kind === "running");
  assert.deepEqual(
    pids.filter((pid) => lives(pid)),
    [pid],
  );
  void session.start(launch());
  await session.stop("closing");
  assert.deepEqual(pids.filter(lives), []);
  await assert.rejects(session.running(), { message: "The window closes." });
});

test("a sidecar that is killed is told of once, and started again with the same settings", async (t) => {
  const { session, launch, pids, heard } = await stage(t);
  await session.start(launch({ a: SERVES }));
  const first = await session.running();
  await seen(session, ready("a"));
  process.kill(first.pid, "SIGKILL");
  await seen(session, ({ condition }) => condition.kind === "running" && condition.pid !== first.pid);
  await seen(session, ready("a"));
  assert.equal(heard.length, 1);
  assert.match(heard[0]?.error.message ?? "", /SIGKILL/);
  assert.equal(heard[0]?.again, true);
  assert.equal(pids.length, 2);
});

test("it is not started again for ever", async (t) => {
  const { session, launch, pids, heard } = await stage(t);
  await session.start(launch());
  for (let i = 0; i <= LIMIT; i++) {
    const { pid } = await session.running();
    process.kill(pid, "SIGKILL");
    await seen(session, ({ condition }) => condition.kind !== "running");
  }
  const { condition } = session.view;
  assert.equal(condition.kind, "failed");
  assert.match(condition.kind === "failed" ? condition.message : "", /SIGKILL/);
  assert.deepEqual(
    heard.map(({ again }) => again),
    [...Array<boolean>(LIMIT).fill(true), false],
  );
  assert.equal(pids.length, LIMIT + 1);
  await assert.rejects(session.running(), /SIGKILL/);

  // Who starts it by hand begins anew.
  await session.start(launch());
  process.kill((await session.running()).pid, "SIGKILL");
  await seen(session, ({ condition }) => condition.kind === "starting");
  await session.running();
});

test("a stop in the pause before a restart leaves nothing that starts", async (t) => {
  const { session, launch, pids } = await stage(t);
  await session.start(launch());
  const { pid } = await session.running();
  process.kill(pid, "SIGKILL");
  await seen(session, ({ condition }) => condition.kind === "starting");
  await session.stop("disabled");
  assert.deepEqual(session.view.condition, { kind: "off", why: "disabled" });
  assert.deepEqual(pids, [pid]);
});

test("a stop while it starts leaves no process", async (t) => {
  const { session, world, launch } = await stage(t);
  const { path, over } = world.pipe("alive");
  const slow = world.script("slow", `#!/bin/sh\nexec 3>"${path}"\necho here >&2\nexec sleep 1000\n`);
  const here = new Promise((resolve) => session.on("stderr", resolve));
  await session.start({ ...launch(), binary: () => slow });
  await here;
  await session.stop("closing");
  await over;
  assert.equal(session.view.condition.kind, "off");
});

test("who has a report to make does not wait for ever for one that starts", async (t) => {
  const { session, world, launch } = await stage(t);
  const slow = world.script("slow", "#!/bin/sh\nexec sleep 1000\n");
  await session.start({ ...launch(), binary: () => slow });
  await assert.rejects(session.running(1), { message: "the sidecar is starting" });
  assert.equal(session.view.condition.kind, "starting");
});

test("what is changed while it starts is told to it, and holds for the one after it", async (t) => {
  const { session, world, launch } = await stage(t);
  await session.start(launch({ a: SERVES }));
  session.configure({ settings: { servers: { b: world.fake("b", SERVES) } } });
  const { servers } = await seen(session, ready("b"));
  assert.deepEqual(
    servers.map(({ name }) => name),
    ["b"],
  );
  process.kill((await session.running()).pid, "SIGKILL");
  await seen(session, ({ condition }) => condition.kind === "starting");
  await seen(session, ready("b"));
});

test("settings that are refused are told of", async (t) => {
  const { session, launch } = await stage(t);
  const settings = { timeouts: "long" } as unknown as Settings;
  const refusal = () =>
    within("the refusal", new Promise<Error>((resolve) => session.on("refused", resolve)));
  await session.start(launch());
  session.configure({ settings });
  assert.match((await refusal()).message, /timeouts/, "by one that was starting");
  session.configure({ settings });
  assert.match((await refusal()).message, /timeouts/, "by one that runs");
});

test("one that ends meanwhile refuses nothing", async (t) => {
  const { session, launch } = await stage(t);
  const refused: Error[] = [];
  session.on("refused", (error) => refused.push(error));
  await session.start(launch());
  const { pid } = await session.running();
  process.kill(pid, "SIGSTOP"); // it answers no more
  session.configure({ settings: { timeouts: { callMs: 1000 } } });
  process.kill(pid, "SIGKILL");
  await seen(session, ({ condition }) => condition.kind === "running" && condition.pid !== pid);
  assert.deepEqual(refused, []);
});

test("settings that are refused at the start are not tried again and again", async (t) => {
  const { session, launch, heard } = await stage(t);
  const settings = { timeouts: "long" } as unknown as Settings;
  await session.start({ ...launch(), settings });
  const { condition } = await seen(session, ({ condition }) => condition.kind === "failed");
  assert.match(condition.kind === "failed" ? condition.message : "", /timeouts/);
  assert.deepEqual(
    heard.map(({ again }) => again),
    [false],
  );
});

test("a program that is not there is not looked for again and again", async (t) => {
  const { session, launch, heard } = await stage(t);
  await session.start({ ...launch(), binary: () => "/nowhere/mcp-sidecar" });
  const { condition } = await seen(session, ({ condition }) => condition.kind === "failed");
  assert.match(condition.kind === "failed" ? condition.message : "", /\/nowhere\/mcp-sidecar/);
  assert.deepEqual(
    heard.map(({ again }) => again),
    [false],
  );
});

test("messages and stderr pass by, from the first", async (t) => {
  const { session, launch } = await stage(t);
  const methods: string[] = [];
  const lines: string[] = [];
  session.on("message", ({ text, direction }) => {
    const { method } = JSON.parse(text) as { method?: string };
    if (direction === "sent" && method !== undefined) methods.push(method);
  });
  session.on("stderr", (line) => lines.push(line));
  await session.start({ ...launch(), args: ["--log-level=debug"] });
  await session.running();
  await session.stop("closing");
  assert.deepEqual(methods, ["runtime/initialize", "runtime/shutdown", "runtime/exit"]);
});
