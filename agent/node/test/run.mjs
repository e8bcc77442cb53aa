/**
 * Compiles src and test to build/agent-node, and runs the tests there: `npm test`, or `npm test -- framing`
 * for the files whose path has that word. (Node 20 does not run TypeScript.)
 *
 * The tests start real programs: the sidecar that MCP_SIDECAR_TEST_BINARY names, else bin/mcp-sidecar, else
 * one that is built here; and conformance/fake.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const repository = join(root, "../..");
const out = join(repository, "build/agent-node");

function run(command, args, { cwd = root, env = process.env } = {}) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** build builds a program of the repository; Go knows whether there is anything to do. */
function build(name, source) {
  const program = join(out, "bin", name);
  run("go", ["build", "-o", program, source], { cwd: repository });
  return program;
}

function sidecar() {
  const given = process.env.MCP_SIDECAR_TEST_BINARY;
  const built = given ? resolve(given) : join(repository, "bin/mcp-sidecar");
  return given || existsSync(built) ? built : build("mcp-sidecar", "./cmd/mcp-sidecar");
}

function link(target, name) {
  if (!existsSync(join(out, name))) symlinkSync(target, join(out, name));
}

// What makes the compiled files the package, which finds itself by its name.
mkdirSync(join(out, "src"), { recursive: true });
copyFileSync(join(root, "package.json"), join(out, "package.json"));
link(join(root, "node_modules"), "node_modules");
link("src", "dist");
run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.test.json"]);

const words = process.argv.slice(2);
const tests = readdirSync(join(root, "test"), { recursive: true })
  .filter((file) => file.endsWith(".test.ts") && words.every((word) => file.includes(word)))
  .map((file) => join(out, "test", file.replace(/\.ts$/, ".js")));
if (tests.length === 0) {
  console.error(`no test file has ${words.join(" and ")} in its path`);
  process.exit(1);
}
const env = {
  ...process.env,
  MCP_SIDECAR_TEST_BINARY: sidecar(),
  MCP_SIDECAR_TEST_FAKE: build("fake", "./conformance/fake"),
  MCP_SIDECAR_TEST_SOURCE: root,
};
// A file that hangs fails, and says which it is. All of them take a minute together.
const flags = ["--enable-source-maps", "--test", "--test-timeout=300000", "--test-reporter=spec"];
run(process.execPath, [...flags, ...tests.sort()], { env });
