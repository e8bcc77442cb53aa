/**
 * Bundles the extension, and the client of agent/node with it, into one file: dist/extension.cjs.
 *
 *     node build.mjs [--minify] [--sourcemap] [--outfile FILE] [--metafile FILE]
 *
 * What went into the bundle is written to the metafile, as esbuild tells it: whose licenses the package has to hold.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values: options } = parseArgs({
  options: {
    minify: { type: "boolean", default: false },
    sourcemap: { type: "boolean", default: false },
    outfile: { type: "string", default: "dist/extension.cjs" },
    metafile: { type: "string" },
  },
});

const { metafile } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["src/extension.ts"],
  outfile: resolve(options.outfile),
  bundle: true,
  // The oldest VS Code that the extension runs in, 1.101, has Node 22.
  target: "node22",
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  // There is no URL to look from in a bundle: see binary.ts of agent/node, which minds it.
  define: { "import.meta.url": "undefined" },
  // They are in the package's ThirdPartyNotices.txt, whole.
  legalComments: "none",
  sourcemap: options.sourcemap,
  minify: options.minify,
  metafile: true,
  logLevel: "warning",
});
if (options.metafile) writeFileSync(options.metafile, JSON.stringify(metafile));
