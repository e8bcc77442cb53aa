/** Bundles the extension, and the client of agent/node with it, into one file: dist/extension.cjs. */
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.cjs",
  bundle: true,
  // The oldest VS Code that the extension runs in, 1.101, has Node 22.
  target: "node22",
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  // There is no URL to look from in a bundle: see binary.ts of agent/node, which minds it.
  define: { "import.meta.url": "undefined" },
  sourcemap: process.argv.includes("--sourcemap"),
  minify: process.argv.includes("--minify"),
  logLevel: "warning",
});
