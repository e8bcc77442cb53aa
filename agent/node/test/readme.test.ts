/** The code in README.md compiles as it stands there, and what can be run does what the text says. */
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { required, World } from "./world.js";

// Below the compiled package, which its own name leads to from here.
const dir = fileURLToPath(new URL("../readme", import.meta.url));
const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

/** What a piece of the README does not declare itself. */
const CONTEXT = `
declare global {
  const Sidecar: typeof import("mcp-sidecar").Sidecar;
  const sidecar: import("mcp-sidecar").Sidecar;
  const openaiResponsesTools: typeof import("mcp-sidecar/openai").openaiResponsesTools;
  const runOpenAIResponsesToolCall: typeof import("mcp-sidecar/openai").runOpenAIResponsesToolCall;
  const anthropicTools: typeof import("mcp-sidecar/anthropic").anthropicTools;
  const runAnthropicToolUse: typeof import("mcp-sidecar/anthropic").runAnthropicToolUse;
  const langchainMiddleware: typeof import("mcp-sidecar/langchain").langchainMiddleware;
  const langchainTools: typeof import("mcp-sidecar/langchain").langchainTools;
  const aiTools: typeof import("mcp-sidecar/ai").aiTools;

  const openai: import("openai").default;
  const input: import("openai").default.Responses.ResponseInput;
  const anthropic: import("@anthropic-ai/sdk").default;
  const messages: import("@anthropic-ai/sdk").default.MessageParam[];
  const createAgent: typeof import("langchain").createAgent;
  type Chat = import("@langchain/core/language_models/chat_models").BaseChatModel;
  const chatModel: Chat & Required<Pick<Chat, "bindTools">>;
  const generateText: typeof import("ai").generateText;
  const stepCountIs: typeof import("ai").stepCountIs;
  const languageModel: import("ai").LanguageModel;
  const [model, prompt, max_tokens]: [string, string, number];
  type Answers = Record<string, string>;
  function ask(text: string, schema: unknown, signal: AbortSignal): Promise<Answers | undefined>;
  type Asking = { hidden: boolean; signal: AbortSignal };
  function askLine(text: string, asking: Asking): Promise<string | undefined>;
}
export {};
`;

const OPTIONS = {
  compilerOptions: {
    module: "NodeNext",
    target: "ES2022",
    lib: ["ES2023", "ESNext.Disposable"],
    types: ["node"],
    moduleDetection: "force",
    strict: true,
    skipLibCheck: true,
  },
  include: ["*.ts"],
};

function compiled(): string[] {
  const readme = readFileSync(join(required("MCP_SIDECAR_TEST_SOURCE"), "README.md"), "utf8");
  const pieces = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ""]) => code);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(OPTIONS));
  writeFileSync(join(dir, "context.d.ts"), CONTEXT);
  const files = pieces.map((_, i) => join(dir, `piece${i + 1}.ts`));
  for (const [i, path] of files.entries()) writeFileSync(path, pieces[i] ?? "");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
  return files.map((path) => path.replace(/\.ts$/, ".js"));
}

/** asked runs a program, gives an answer if it is asked, and closes its terminal when it has said the last. */
async function asked(file: string, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }, last: RegExp) {
  const program = spawn(process.execPath, [file], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const question = /\? \(.*\) /;
  let output = "";
  program.stdout.setEncoding("utf8").on("data", (text: string) => {
    const before = question.test(output);
    output += text;
    // What the program says next may be in the same piece of its output.
    if (!before && question.test(output)) program.stdin.write("allow\n");
    if (last.test(output)) program.stdin.end();
  });
  const code = await new Promise((resolve) => program.on("close", resolve));
  return { output, code };
}

test("the README's code compiles, and what can be run does what the text says", async (t) => {
  const files = compiled();
  assert.equal(files.length, 11);
  const world = await World.open(t);
  const mcpServers = { a: world.fake("a", "tool x\n") };
  writeFileSync(join(world.project, ".mcp.json"), JSON.stringify({ mcpServers }));
  const { command, args = [] } = world.fake("files", "tool read_text_file\n");
  mkdirSync(join(world.dir, "bin"));
  world.script("bin/npx", `#!/bin/sh\nexec ${[command, ...args].map((word) => `'${word}'`).join(" ")}\n`);
  const PATH = `${join(world.dir, "bin")}:${process.env.PATH}`;
  const env = { ...process.env, ...world.env, PATH, MCP_SIDECAR: required("MCP_SIDECAR_TEST_BINARY") };
  const run = (file: string | undefined) =>
    promisify(execFile)(process.execPath, [file ?? ""], { cwd: world.project, env });

  const first = await run(files[0]);
  assert.equal(first.stdout, "1 tools of 1 servers\nmcp_a_x - x\n");
  assert.equal(first.stderr, "");
  const second = await run(files[1]);
  assert.match(
    second.stdout,
    /^answered: \[ \{ type: 'text', text: 'read_text_file \{"path":"notes.txt"\}' \} \]\n$/,
  );

  const having = (word: string) => files.find((file) => readFileSync(file, "utf8").includes(word)) ?? "";
  symlinkSync(having("Sidecar.join()"), join(world.project, "sub-agent.js"));
  const { stdout } = await run(having("sidecar.share()"));
  assert.equal(stdout, "1 tools, and no server was started for them\n".repeat(2));
  assert.equal(world.hub.count("a started"), 3, "this is the third program with the server");

  const approving = having("createInterface");
  const place = { cwd: world.project, env };
  const once = await asked(approving, place, /1 tools/);
  assert.equal(once.code, 0);
  assert.match(once.output, /name: 'a',\n/);
  assert.match(once.output, /May "a" run\? \(allow, deny, Enter: later\) (.*\n)*1 tools/);
  assert.deepEqual(await asked(approving, place, /tools/), { output: "1 tools\n", code: 0 });

  const last = await run(files.at(-1));
  assert.deepEqual(last, { stdout: "", stderr: "" });
});
