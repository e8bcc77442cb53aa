import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Sidecar } from "mcp-sidecar";
import type openai from "openai";
import { type ChatModel, run } from "./agent.js";
import { ScriptedModel } from "./model.js";
import { Story } from "./story.js";

/** program is the path of one of the example's. */
const program = (name: string) => fileURLToPath(new URL(`${name}.js`, import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../..", import.meta.url));
/** OPENAI is the real package, which the tests of the client have installed. */
const OPENAI = new URL("../../../agent/node/node_modules/openai/index.mjs", import.meta.url).href;
const BINARY = process.env.MCP_SIDECAR_TEST_BINARY ?? join(EXAMPLES, "../bin/mcp-sidecar");

/** QUICK is a server with one tool, that is there as soon as Node is. */
const QUICK = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "quick", version: "1" },
    },
    "tools/list": { tools: [{ name: "list_directory", inputSchema: { type: "object" } }] },
    "tools/call": { content: [{ type: "text", text: "[FILE] .mcp.json" }] },
  }[method];
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
})`;

/** A Test is what node:test gives to one. */
interface Test {
  after(end: () => Promise<void>): void;
}

/** ownHome is a home directory of its own, and the environment that says so. */
async function ownHome(t: Test): Promise<{ home: string; env: Record<string, string> }> {
  const home = await mkdtemp(join(tmpdir(), "example-agent-"));
  t.after(() => rm(home, { recursive: true, force: true }));
  const directory = async (name: string) => {
    await mkdir(join(home, name));
    return join(home, name);
  };
  const env = {
    HOME: home,
    TMPDIR: await directory("tmp"),
    XDG_CACHE_HOME: await directory("cache"),
    XDG_CONFIG_HOME: await directory("config"),
    XDG_RUNTIME_DIR: await directory("run"),
    XDG_STATE_HOME: await directory("state"),
  };
  return { home, env };
}

/** play runs the first example as its user does, and returns what it said and how it ended. */
function play(env: Record<string, string>, ...args: string[]) {
  return played("main", env, ...args);
}

async function played(name: string, env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [program(name), ...args], { env: { ...process.env, ...env } });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { code, stdout, stderr };
}

/**
 * left are the processes that have this home directory. (Only Linux tells the environment of another
 * process.)
 */
async function left(home: string): Promise<string[]> {
  if (!existsSync("/proc/self/environ")) return [];
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      const environment = await readFile(`/proc/${id}/environ`, "utf8").catch(() => "");
      return environment.split("\0").includes(`HOME=${home}`) ? id : "";
    }),
  );
  return found.filter((id) => id !== "");
}

/** listening is a server of models on this machine, for as long as the test runs. */
async function listening(t: Test, server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}

/** openAI is the real client of such a server. */
async function openAI(server: Server): Promise<ChatModel> {
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const OpenAI = ((await import(OPENAI)) as { default: typeof openai }).default;
  return new OpenAI({ apiKey: "none", baseURL, maxRetries: 0 });
}

/** inOrder checks that a text has these, one after the other. */
function inOrder(text: string, ...expected: RegExp[]): void {
  let from = 0;
  for (const pattern of expected) {
    const match = pattern.exec(text.slice(from));
    assert.ok(match, `${pattern} is missing, or too early, in:\n${text}`);
    from += match.index + match[0].length;
  }
}

test("cold, tools come in mid-conversation; warm, they are there and a call waits", async (t) => {
  const { home, env } = await ownHome(t);
  // So slow that it comes last on a busy machine too.
  const { code, stdout, stderr } = await play(env, "--sidecar", BINARY, "--slow", "4");
  assert.equal(code, 0, stderr + stdout);
  assert.equal(stderr, "");
  const [cold = "", warm = ""] = stdout.split(/^warm: .*$/m);
  inOrder(
    cold,
    /cold: nothing is remembered/,
    // Nothing is remembered; a server that is quick may be there in time.
    /session open +(no tools yet|\d+ tools?: \d+ live, 0 deferred)/,
    /everything +ready +13 live/,
    /request 1, with \d+ tools/,
    /call mcp_everything_get-sum/,
    /The sum of 17 and 25 is 42\./,
    /call mcp_everything_trigger-long-running-operation/,
    /progress +1 of 6/,
    /tools changed .*connected: .*files/,
    /request \d+, with \d+ tools, \d+ of them new/,
    /call mcp_files_list_directory/,
    /files\/list_directory took \d+ ms\n/,
    /assistant +The sum of 17 and 25 is 42\. The project has .*\.mcp\.json/,
    /has ended, and every server with it/,
  );
  inOrder(
    warm,
    /session open +\d+ tools: \d+ live, \d+ deferred/,
    /request 1, with \d+ tools\n/,
    /call mcp_files_list_directory/,
    /files\/list_directory took \d+ ms, after \d+ ms of waiting for its server/,
    /assistant +The sum of 17 and 25 is 42\. The project has .*\.mcp\.json/,
    /has ended, and every server with it/,
  );
  assert.doesNotMatch(warm, /tools changed/);
  assert.deepEqual(await left(home), []);
  assert.deepEqual(await readdir(join(home, "tmp")), []);
});

test("the tools to begin with are waited for, also if others are there at once", async (t) => {
  const { home, env } = await ownHome(t);
  const project = join(home, "project");
  const program = "project/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
  const everything = {
    command: join(EXAMPLES, "project/slow"),
    args: [process.execPath, join(EXAMPLES, program), "stdio"],
  };
  const files = { command: process.execPath, args: ["-e", QUICK] };
  await mkdir(join(project, "node_modules"), { recursive: true });
  await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { everything, files } }));
  const { stdout } = await play(env, "--sidecar", BINARY, "--project", project, "--slow", "3");
  inOrder(stdout, /tools changed .*everything/, /request 1, with/, /The sum of 17 and 25 is 42\./);
});

test("whoever is tired of waiting for the model stops it", async (t) => {
  const { env } = await ownHome(t);
  const abort = new AbortController();
  const server = createServer((_, response) => {
    abort.abort(new Error("enough")); // while the model thinks
    const message = { role: "assistant", content: "too late" };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ choices: [{ message }] }));
  });
  await listening(t, server);
  const sidecar = await Sidecar.spawn({
    cwd: EXAMPLES,
    binary: BINARY,
    env,
    settings: { discovery: { include: [] } },
  });
  t.after(() => sidecar.close());
  const model = await openAI(server);
  const running = run(model, sidecar, "Go.", { story: new Story("too slow"), signal: abort.signal });
  await assert.rejects(running, /abort/i);
});

test("what does not happen is said, and the exit code is 1", async (t) => {
  const { home, env } = await ownHome(t);
  const project = join(home, "project");
  await mkdir(join(project, "node_modules"), { recursive: true });
  const everything = { command: process.execPath, args: ["-e", "process.exit(3)"] };
  await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: { everything } }));
  const { code, stderr } = await play(env, "--sidecar", BINARY, "--project", project);
  assert.equal(code, 1);
  assert.match(stderr, /^agent: cold session: it did not happen that .*I have no tool for this\.\n$/);
  assert.deepEqual(await left(home), []);
});

test("without the program, or without the servers, it says what to do", async (t) => {
  const { home, env } = await ownHome(t);
  const missing = await play(env, "--sidecar", join(home, "nowhere"));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^agent: .*nowhere/);
  const empty = await play(env, "--sidecar", BINARY, "--project", home);
  assert.equal(empty.code, 1);
  assert.match(empty.stderr, /has no servers yet: npm ci --ignore-scripts/);
});

test("OpenAI's own client can take the place of the script", async (t) => {
  const { env } = await ownHome(t);
  const script = new ScriptedModel();
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const completion = await script.chat.completions.create(JSON.parse(text));
    response.setHeader("content-type", "application/json").end(JSON.stringify(completion));
  });
  await listening(t, server);
  const sidecar = await Sidecar.spawn({
    cwd: join(EXAMPLES, "project"),
    binary: BINARY,
    env,
    settings: { discovery: { include: ["mcp-json"] }, disabled: ["remote", "memory", "thinking"] },
  });
  t.after(() => sidecar.close());

  const model = await openAI(server);
  const { signal } = new AbortController();
  const task = "What is 17 and 25? And which files are there?";
  const answer = await run(model, sidecar, task, { story: new Story("with OpenAI's client"), signal });
  assert.match(answer, /42.*\.mcp\.json/);
});

test("two sub-agents use the servers of the agent that has started them, and leave nothing", async (t) => {
  const { home, env } = await ownHome(t);
  const { code, stdout, stderr } = await played("delegate", env, "--sidecar", BINARY);
  assert.equal(code, 0, stderr + stdout);
  assert.equal(stderr, "");
  const said = (who: string) => stdout.replace(new RegExp(`^(?!${who} ).*\n`, "gm"), "");
  inOrder(said("adder"), /joined +37 tools/, /call mcp_everything_get-sum/, /everything\/get-sum took/);
  inOrder(said("lister"), /joined +37 tools/, /call mcp_files_list_directory/, /files\/list_directory took/);
  inOrder(
    said("agent"),
    /session open +37 tools: 37 live/,
    /<- adder +The sum of 17 and 25 is 42\.\n/,
    /<- lister +The project has .*\.mcp\.json/,
    /for all three +everything is process \d+, files is process \d+, memory is/,
    /has ended, and every server with it/,
  );
  assert.deepEqual(await left(home), []);
  assert.deepEqual(await readdir(join(home, "tmp")), []);
  const shared = await readdir(join(home, "run"), { recursive: true, withFileTypes: true });
  assert.deepEqual(
    shared.filter((entry) => !entry.isDirectory()).map(({ name }) => name),
    [],
  );
  assert.notEqual(shared.length, 0);
});

test("a sub-agent that cannot do its task, or was not let in, is told of", async (t) => {
  const { home, env } = await ownHome(t);
  const project = join(home, "project");
  await mkdir(join(project, "node_modules"), { recursive: true });
  await writeFile(join(project, ".mcp.json"), JSON.stringify({ mcpServers: {} }));
  const { code, stderr } = await played("delegate", env, "--sidecar", BINARY, "--project", project);
  assert.equal(code, 1);
  assert.match(stderr, /^agent: it did not happen that one sub-agent knows the sum.*I have no tool for this/);
  const alone = await played(
    "sub-agent",
    { ...env, MCP_SIDECAR: BINARY, MCP_SIDECAR_ENDPOINT: "" },
    "a",
    "b",
  );
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /^sub-agent: there is no session to join: MCP_SIDECAR_ENDPOINT is not set/);
  const endpoint = `unix:${home}/nobody#token`;
  const late = await played("sub-agent", { ...env, MCP_SIDECAR: BINARY, MCP_SIDECAR_ENDPOINT: endpoint });
  assert.equal(late.code, 1);
  assert.match(late.stderr, /^sub-agent: cannot join the session: .*the session has ended: nobody listens/);
  assert.deepEqual(await left(home), []);
});
