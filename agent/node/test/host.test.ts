/**
 * What a program is like that has a sidecar: it ends when it is done, and leaves nothing behind. Each test
 * runs one. Its sidecar holds a pipe open, and so does everything that is started beneath it: the end of the
 * pipe shows that all of them are gone.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { SPEAKER, STOPPED } from "./speaker.js";
import { required, World } from "./world.js";

const source = (file: string) => JSON.stringify(fileURLToPath(new URL(`../src/${file}`, import.meta.url)));

interface Host {
  readonly process: ChildProcess;
  /** output is what it wrote to stdout and stderr, and its exit code, when it has ended. */
  readonly ended: Promise<{ output: string; code: number | null }>;
  /** alone resolves when nothing is left of what it started. */
  readonly alone: Promise<void>;
}

/**
 * SERVER answers "x", and "hang" when its hold "on" is released. What it leaves behind takes no hint to go.
 */
const SERVER = "tool x\ntool hang\non start\n  grandchild\non tools/call hang\n  hold on\n  default\n";

/** host runs a program with a sidecar `s` that has SERVER as "a". */
function host(world: World, body: string): Host {
  const { path: pipe, over: alone } = world.pipe("pipe");
  const binary = world.script("holder", '#!/bin/sh\nexec 9>"$PIPE"\nexec "$REAL" "$@"\n');
  const env = { ...world.env, PIPE: pipe, REAL: required("MCP_SIDECAR_TEST_BINARY") };
  const options = world.options({ a: SERVER }, { binary, env });
  const program = world.program(
    "host.mjs",
    `import { Sidecar } from ${source("index.js")};
     const s = await Sidecar.spawn(${JSON.stringify(options)});
     ${body}`,
  );
  return { ...run(program), alone };
}

/** run runs a program in a group of its own, as a shell does. */
function run(program: string): Omit<Host, "alone"> {
  const child = spawn(process.execPath, [program], { detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<{ output: string; code: number | null }>((resolve) => {
    child.on("close", (code) => resolve({ output, code }));
  });
  return { process: child, ended };
}

test("a program that never closes its sidecar ends by itself, and leaves nothing", async (t) => {
  const world = await World.open(t);
  const { ended, alone } = host(
    world,
    'console.log((await s.call("mcp_a_x", { n: 1 })).result.content[0].text);',
  );
  const { output, code } = await ended;
  assert.equal(code, 0, output);
  assert.match(output, /"n":1/);
  await alone;
});

test("a program that subscribes to everything ends all the same", async (t) => {
  const world = await World.open(t);
  const { ended, alone } = host(
    world,
    `for (const event of ["toolsChanged", "status", "diagnostics", "log", "closed"]) s.on(event, () => {});
     s.call("mcp_a_hang", {}, { signal: AbortSignal.abort() }).catch(() => {});`,
  );
  assert.deepEqual(await ended, { output: "", code: 0 });
  await alone;
});

test("a program that awaits an answer is kept alive until it comes", async (t) => {
  const world = await World.open(t);
  const { ended, alone } = host(
    world,
    `await s.call("mcp_a_x");
     setImmediate(async () => {
       const { result } = await s.call("mcp_a_hang");
       console.log("answered", result.content[0].text);
     });`,
  );
  await world.hub.saw("a holding on");
  world.hub.release("a", "on");
  const { output, code } = await ended;
  assert.equal(code, 0, output);
  assert.match(output, /^answered/);
  await alone;
});

test("a program that was told of an abort is not kept alive for the rest", async (t) => {
  const world = await World.open(t);
  const { ended, alone } = host(
    world,
    `const abort = new AbortController();
     s.call("mcp_a_hang", {}, { signal: abort.signal }).catch(({ message }) => console.log(message));
     await s.search("x");
     abort.abort(new Error("enough"));`,
  );
  assert.deepEqual(await ended, { output: "enough\n", code: 0 });
  await alone;
});

test("a program that closes and ends leaves nothing, awaited or not", async (t) => {
  for (const body of [
    "await s.close();",
    "s.close();",
    "await s[Symbol.asyncDispose]();",
    "process.exit(0);",
  ]) {
    const world = await World.open(t);
    const { ended, alone } = host(world, body);
    assert.deepEqual(await ended, { output: "", code: 0 }, body);
    await alone;
  }
});

test("a program that has joined a session, and never leaves it, ends by itself", async (t) => {
  const world = await World.open(t);
  const owner = await world.sidecar({ a: SERVER });
  const { path: pipe, over: alone } = world.pipe("pipe");
  const binary = world.script("holder", '#!/bin/sh\nexec 9>"$PIPE"\nexec "$REAL" "$@"\n');
  const { binary: REAL = "" } = world.joining;
  const env = { ...world.env, PIPE: pipe, REAL, MCP_SIDECAR_ENDPOINT: await owner.share() };
  const program = world.program(
    "guest.mjs",
    `import { Sidecar } from ${source("index.js")};
     const s = await Sidecar.join(undefined, ${JSON.stringify({ binary, env })});
     console.log((await s.call("mcp_a_x", { n: 1 })).result.content[0].text);`,
  );
  const { output, code } = await run(program).ended;
  assert.deepEqual([output, code], ['x {"n":1}\n', 0]);
  await alone;
  assert.equal((await owner.call("mcp_a_x")).result.isError, undefined);
});

test("close leaves nothing, also while the program goes on", async (t) => {
  const world = await World.open(t);
  const { process: program, alone } = host(world, "await s.close();\nsetInterval(() => {}, 1000);");
  await alone;
  assert.equal(program.exitCode, null);
  program.kill("SIGKILL");
});

test("a program that is killed leaves nothing", async (t) => {
  const world = await World.open(t);
  const { process: program, ended, alone } = host(world, 'await s.call("mcp_a_hang");');
  await world.hub.saw("a holding on");
  program.kill("SIGKILL");
  await ended;
  await alone;
});

test("Ctrl-C on the terminal is the program's to answer, and not the end of its sidecar", async (t) => {
  const world = await World.open(t);
  const {
    process: program,
    ended,
    alone,
  } = host(
    world,
    `process.once("SIGINT", () => console.log("interrupted"));
     await s.call("mcp_a_hang");
     console.log((await s.call("mcp_a_x", { n: 1 })).result.content[0].text);`,
  );
  await world.hub.saw("a holding on");
  process.kill(-(program.pid ?? 0), "SIGINT"); // as the terminal does it
  world.hub.release("a", "on");
  const { output, code } = await ended;
  assert.equal(code, 0, output);
  assert.match(output, /interrupted\n.*"n":1/);
  await alone;
});

test("a program ends whose sidecar has died, also while somebody else holds its pipes open", async (t) => {
  const world = await World.open(t);
  const binary = world.program(
    "dying",
    `${SPEAKER} read(({ id, method }) => {
      if (method === "runtime/initialize") return write({ id, result: welcome });
      const { pid } = require("node:child_process").spawn("sleep", ["600"], { stdio: "inherit" });
      write({ method: "runtime/log", params: { level: "info", message: String(pid) } });
      process.stdout.write("", () => process.exit(0));
    });`,
  );
  const options = JSON.stringify({ binary, cwd: world.project, env: world.env });
  const program = world.program(
    "host.mjs",
    `import { Sidecar } from ${source("index.js")};
     const s = await Sidecar.spawn(${options});
     s.on("log", ({ message }) => console.log(message));
     await s.call("x").catch(() => {});`,
  );
  const { output, code } = await run(program).ended;
  const holder = Number(output);
  assert.ok(holder > 0, output);
  process.kill(holder);
  assert.equal(code, 0);
});

test("a program ends whose sidecar is stopped, with what it did not read", { timeout: 60_000 }, async (t) => {
  const world = await World.open(t);
  const pipe = world.pipe("pipe");
  const holds = `require("node:fs").openSync(${JSON.stringify(pipe.path)}, "w");`;
  const binary = world.program("stopped", `${holds} ${STOPPED}`);
  const program = world.program(
    "host.mjs",
    `import { Sidecar } from ${source("index.js")};
     const s = await Sidecar.spawn(${JSON.stringify({ binary, cwd: world.project, env: world.env })});
     console.log(s.pid);
     const abort = new AbortController();
     s.call("x", { text: "x".repeat(1 << 20) }, abort).catch(() => {});
     abort.abort();`,
  );
  const { output, code } = await run(program).ended;
  const stopped = Number(output);
  assert.ok(stopped > 0, output);
  process.kill(stopped, "SIGCONT");
  assert.equal(code, 0);
  await pipe.over; // when it goes on, there is nobody to serve
});

test("a process alone, of which nothing is awaited, keeps no program alive", async (t) => {
  const world = await World.open(t);
  const pipe = world.pipe("pipe");
  const binary = world.script("holder", `#!/bin/sh\nexec 9>${pipe.path}\nexec cat\n`);
  const program = world.program(
    "host.mjs",
    `import { ProcessTransport } from ${source("process.js")};
     new ProcessTransport({ binary: ${JSON.stringify(binary)} }).listen({ message() {}, closed() {} });`,
  );
  assert.deepEqual(await run(program).ended, { output: "", code: 0 });
  await pipe.over;
});
