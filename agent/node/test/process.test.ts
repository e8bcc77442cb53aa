/** Programs that are no sidecar, or a strange one, and starts that are abandoned. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  BinaryNotFoundError,
  ProtocolVersionError,
  SidecarClosedError,
  SidecarError,
} from "../src/errors.js";
import { Sidecar, type SpawnOptions } from "../src/sidecar.js";
import { SPEAKER, STOPPED } from "./speaker.js";
import { lives, required, World } from "./world.js";

/** The error of a start that fails. */
async function failure(world: World, options: SpawnOptions): Promise<Error> {
  try {
    const sidecar = await Sidecar.spawn({ cwd: world.project, env: world.env, ...options });
    await sidecar.close();
  } catch (error) {
    return error as Error;
  }
  throw new Error("it started");
}

test("programs that are no sidecar are told with what they did", async (t) => {
  const world = await World.open(t);
  const hello = world.script("hello", "#!/bin/sh\necho hello\n");
  const cases: [string, string, RegExp][] = [
    [
      "prints something",
      "#!/bin/sh\necho hello\n",
      /does not speak the protocol: it printed "hello\\n"\. Is it/,
    ],
    ["prints and stays", "#!/bin/sh\necho hello\ncat >/dev/null\n", /it printed "hello\\n"/],
    ["repeats", "#!/bin/sh\nexec cat\n", /only repeats what it is sent: it is not mcp-sidecar$/],
    ["ends", "#!/bin/sh\nexit 0\n", /ended with exit code 0 before it said anything/],
    ["fails", "#!/bin/sh\necho no such flag >&2\nexit 3\n", /exit code 3 .*\n {2}stderr: no such flag$/],
    ["is killed", "#!/bin/sh\nkill -9 $$\n", /was killed by SIGKILL before it said anything/],
    ["has no interpreter", "#!/no/such/interpreter\n", /^cannot start .*an interpreter or a loader/],
    ["is no program", "Dear reader", /ended with exit code 127 .*\n {2}stderr: .*Dear: not found$/],
  ];
  for (const [name, text, why] of cases) {
    const error = await failure(world, { binary: world.script(name, text) });
    assert.ok(error instanceof SidecarClosedError, `${name}: ${error}`);
    assert.match(error.message, why);
  }
  assert.match((await failure(world, { binary: hello })).message, new RegExp(`^${hello} `));
});

test("a program for another machine is told as that", async (t) => {
  const world = await World.open(t);
  const program = readFileSync(required("MCP_SIDECAR_TEST_BINARY"));
  const { arch, platform } = process;
  const [machine, other] = arch === "x64" ? [183, "arm64"] : [62, "x64"];
  program.writeUInt16LE(machine, 18); // ELF: e_machine
  const binary = join(world.dir, "foreign");
  writeFileSync(binary, program as unknown as Uint8Array<ArrayBuffer>, { mode: 0o755 });
  const { message } = await failure(world, { binary });
  assert.equal(message, `${binary} is built for ${platform} on ${other}, and this is ${platform} on ${arch}`);
});

test("a program that closes a pipe and stays is ended", async (t) => {
  const world = await World.open(t);
  const mute = await failure(world, { binary: world.script("mute", "#!/bin/sh\nexec sleep 600 >&-\n") });
  assert.match(mute.message, /closed its output and did not end/);

  const source = `${SPEAKER} setInterval(() => {}, 1000);
  read(({ id }) => {
    require("node:fs").closeSync(0);
    write({ id, result: welcome });
  });`;
  const deaf = await world.sidecar({}, { binary: world.program("deaf", source) });
  await assert.rejects(deaf.call("x"), /closed its input and did not end/);
});

test("a program that reads and says nothing is given up", async (t) => {
  const world = await World.open(t);
  const pipe = world.pipe("pipe");
  const text = `#!/bin/sh\nexec 9>${pipe.path}\necho here >&2\nexec cat >/dev/null\n`;
  const binary = world.script("reader", text);
  t.mock.timers.enable({ apis: ["setInterval"] } as never);
  const start = Sidecar.spawn({ binary, env: world.env, stderr: () => t.mock.timers.tick(1) });
  t.mock.timers.tick(29_999);
  await assert.rejects(start, { message: `${binary} said nothing for 30 s\n  stderr: here` });
  await pipe.over;
});

test("a sidecar that has spoken may be silent for as long as it likes", async (t) => {
  const world = await World.open(t);
  t.mock.timers.enable({ apis: ["setInterval"] } as never);
  const sidecar = await world.sidecar();
  t.mock.timers.tick(60_000);
  assert.equal(sidecar.closed, undefined);
  t.mock.timers.reset();
});

test("a sidecar that does not read is ended when nothing is awaited from it, and not before", async (t) => {
  const world = await World.open(t);
  const sidecar = await world.sidecar({}, { binary: world.program("stopped", STOPPED) });
  const closed = new Promise<SidecarClosedError>((resolve) => sidecar.once("closed", resolve));
  t.mock.timers.enable({ apis: ["setInterval"] } as never);
  const [call, search] = [new AbortController(), new AbortController()];
  const calling = sidecar.call("x", { text: "x".repeat(1 << 20) }, call);
  t.mock.timers.tick(60_000);
  call.abort();
  await assert.rejects(calling, { name: "AbortError" });
  t.mock.timers.tick(4999);
  const searching = sidecar.search("x", search);
  t.mock.timers.tick(60_000);
  search.abort();
  await assert.rejects(searching, { name: "AbortError" });
  t.mock.timers.tick(4999);
  assert.equal(lives(sidecar.pid), true);
  t.mock.timers.tick(1);
  assert.match((await closed).message, /did not read what it was sent and did not end$/);
});

test("a pipe that the sidecar has closed costs nothing when calls come and go", async (t) => {
  const world = await World.open(t);
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on("warning", warn);
  t.after(() => process.off("warning", warn));
  const source = `require("node:fs").closeSync(2);
  ${SPEAKER} read(({ id, method }) => {
    if (method === "runtime/initialize") write({ id, result: welcome });
    if (method === "tools/call") write({ id, result: { result: {}, details: {} } });
  });`;
  const sidecar = await world.sidecar({}, { binary: world.program("quiet", source) });
  for (let i = 0; i < 50; i++) await sidecar.call("x");
  assert.deepEqual(warnings, []);
});

test("what a shell starts is ended with it, however stubborn", { timeout: 60_000 }, async (t) => {
  const world = await World.open(t);
  const pipe = world.pipe("pipe");
  const text = `#!/bin/sh\nexec 9>${pipe.path}\n(trap "" TERM; echo hello; exec sleep 600) &\nwait\n`;
  assert.match((await failure(world, { binary: world.script("shell", text) })).message, /printed "hello/);
  await pipe.over;
});

test("what a program gives wrongly leaves no process", async (t) => {
  const world = await World.open(t);
  const binary = world.script("reader", "#!/bin/sh\nexec cat >/dev/null\n");
  const children = () => readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
  const before = children();
  const signal = new AbortController() as never;
  assert.match((await failure(world, { binary, signal })).message, /^signal is no AbortSignal/);
  const listeners = { log: "console" as never };
  assert.match((await failure(world, { binary, listeners })).message, /listener of log is no function/);
  assert.equal(children(), before);
});

test("what is no program is told from what is not found", async (t) => {
  const world = await World.open(t);
  writeFileSync(join(world.dir, "text"), "");
  const cases: [string, RegExp][] = [
    [join(world.dir, "missing"), /missing does not exist$/],
    [join(world.dir, "text"), /text is not executable/],
    [world.dir, /is not a file$/],
  ];
  for (const [binary, why] of cases) {
    const error = await failure(world, { binary });
    assert.ok(error instanceof BinaryNotFoundError);
    assert.match(error.message, why);
  }
});

test("a sidecar of another version is told in one sentence with the program's path", async (t) => {
  const world = await World.open(t);
  const cases: [string, number[]][] = [
    [`${SPEAKER} read(({ id }) => write({ id, result: { ...welcome, protocolVersion: 2 } }));`, [2]],
    [
      `${SPEAKER} const error = { code: -32602, message: "version", data: { supported: [2, 3] } };
      read(({ id }) => write({ id, error }));`,
      [2, 3],
    ],
  ];
  for (const [source, supported] of cases) {
    const binary = world.program("newer", source);
    const error = await failure(world, { binary });
    assert.ok(error instanceof ProtocolVersionError, String(error));
    assert.deepEqual(error.supported, supported);
    assert.ok(error.message.includes(`but ${binary} speaks ${supported.join(", ")}: install`), error.message);
  }
});

test("another language server is told from a sidecar", async (t) => {
  const world = await World.open(t);
  const source = `${SPEAKER} const error = { code: -32601, message: "not found" };
  read(({ id }) => id && write({ id, error }));`;
  const error = await failure(world, { binary: world.program("gopls", source) });
  assert.ok(error instanceof SidecarError);
  assert.match(error.message, /gopls is not mcp-sidecar: it does not know runtime\/initialize/);
});

test("what the sidecar refuses is told as it is", async (t) => {
  const world = await World.open(t);
  const settings = { startup: { gateMs: -1 } };
  const error = await failure(world, { binary: required("MCP_SIDECAR_TEST_BINARY"), settings });
  assert.match(error.message, /^runtime\/initialize: .*gateMs/);
});

test("spawn says where and whose, and what it was given", async (t) => {
  const world = await World.open(t);
  const source = `${SPEAKER} read(({ id, method, params }) => {
    if (method === "runtime/initialize") {
      write({ id, result: { ...welcome, sidecar: { name: "fake", version: JSON.stringify(params) } } });
    }
  });`;
  const sidecar = await world.sidecar(
    {},
    {
      binary: world.program("program", source),
      cwd: ".",
      client: { name: "me", version: "2" },
      workspaceFolders: [{ uri: "file:///a", name: "a" }],
      handlers: { input: () => undefined },
    },
  );
  assert.deepEqual(JSON.parse(sidecar.info?.version ?? ""), {
    protocolVersion: 1,
    client: { name: "me", version: "2" },
    capabilities: { input: true },
    cwd: process.cwd(),
    workspaceFolders: [{ uri: "file:///a", name: "a" }],
    settings: { servers: {} },
    processId: process.pid,
  });
});

test("rubbish after the first message ends the session with what it was, and the program", async (t) => {
  const world = await World.open(t);
  const pipe = world.pipe("pipe");
  const source = `${SPEAKER} require("node:fs").openSync(${JSON.stringify(pipe.path)}, "w");
  setInterval(() => {}, 1000); // the end of its input is nothing to it
  read(({ id, method }) => {
    if (method === "runtime/initialize") write({ id, result: welcome });
    if (method === "tools/call") process.stdout.write("panic: index out of range");
  });`;
  const sidecar = await world.sidecar({}, { binary: world.program("panics", source) });
  await assert.rejects(sidecar.call("x"), (error) => {
    assert.ok(error instanceof SidecarClosedError);
    assert.match(error.message, /sent what is no message \(a line that is no header\): "panic: index out of/);
    return true;
  });
  await pipe.over;
});

test("what a dying sidecar left in its pipes is read, though somebody else holds them open", async (t) => {
  const world = await World.open(t);
  const pidFile = join(world.dir, "pid");
  const source = `${SPEAKER} const { spawn } = require("node:child_process");
  const { writeFileSync } = require("node:fs");
  read(({ id, method }) => {
    if (method === "runtime/initialize") write({ id, result: welcome });
    if (id !== 12) return;
    const other = spawn("sleep", ["600"], { stdio: "inherit" });
    writeFileSync(${JSON.stringify(pidFile)}, String(other.pid));
    for (let id = 2; id < 12; id++) {
      write({ id, result: { result: { text: "x".repeat(10_000) }, details: {} } });
    }
    process.stderr.write("last words\\n");
    process.stdout.write("", () => process.exit(5));
  });`;
  const sidecar = await world.sidecar({}, { binary: world.program("dying", source) });
  const calls = Array.from({ length: 11 }, () => sidecar.call("x"));
  while (!isZombie(sidecar.pid)); // nothing of this program runs until it is all there
  const outcomes = await Promise.allSettled(calls);
  const holder = Number(readFileSync(pidFile, "utf8"));
  assert.ok(holder > 0 && lives(holder));
  process.kill(holder);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [...Array.from({ length: 10 }, () => "fulfilled"), "rejected"],
  );
  assert.deepEqual([sidecar.closed?.exitCode, sidecar.closed?.stderr], [5, ["last words"]]);
});

test("an abandoned start leaves no process", async (t) => {
  const world = await World.open(t);
  const pidFile = join(world.dir, "pid");
  const wrapper = world.script("wrapper", '#!/bin/sh\necho $$ > "$PID"\nexec "$REAL" "$@"\n');
  const env = { ...world.env, PID: pidFile, REAL: required("MCP_SIDECAR_TEST_BINARY") };
  const abort = new AbortController();
  const options = world.options({ a: "tool x\non start\n  hold on\n" }, { binary: wrapper, env });
  const start = Sidecar.spawn({ ...options, signal: abort.signal });
  await world.hub.saw("a holding on");
  abort.abort(new Error("too slow"));
  await assert.rejects(start, { message: "too slow" });
  assert.equal(lives(Number(readFileSync(pidFile, "utf8"))), false);
  await world.hub.empty();
});

test("a start that is abandoned before it began starts nothing", async (t) => {
  const world = await World.open(t);
  const started = join(world.dir, "started");
  const binary = world.script("program", `#!/bin/sh\ntouch ${started}\n`);
  await assert.rejects(Sidecar.spawn({ binary, signal: AbortSignal.abort("no") }), (error) => error === "no");
  assert.throws(() => readFileSync(started));
});

test("options that make no sense are told before a program is looked for", async (t) => {
  const world = await World.open(t);
  const error = await failure(world, { binary: "/missing", capabilities: { approve: true } });
  assert.match(error.message, /^capability approve: there is no handler "approve"/);
  const misspelt = await failure(world, { binary: "/missing", setings: {} } as never);
  assert.match(
    misspelt.message,
    /^Sidecar\.spawn: there is no option "setings"; there are .*cwd, .*settings/,
  );
});

test("a process that ends for nothing is told by SIGTERM, and then ended all the same", async (t) => {
  const world = await World.open(t);
  const told = join(world.dir, "told");
  const source = `${SPEAKER} setInterval(() => {}, 1000);
  process.on("SIGTERM", () => require("node:fs").writeFileSync(${JSON.stringify(told)}, ""));
  read(({ id, method }) => {
    if (method === "runtime/initialize") write({ id, result: welcome });
    return "mine";
  });`;
  const binary = world.program("stubborn", source);
  const settings = { timeouts: { shutdownMs: 1 } };
  const sidecar = await world.sidecar({}, { binary, settings });
  const { pid } = sidecar;
  await sidecar.close();
  assert.equal(lives(pid), false);
  readFileSync(told);
});

/** isZombie: the process has ended, and Node has not heard of it. */
function isZombie(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
}
