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
import { BUNDLING } from "./bundling.mjs";

const { values: options } = parseArgs({
  options: {
    minify: { type: "boolean", default: false },
    sourcemap: { type: "boolean", default: false },
    outfile: { type: "string", default: "dist/extension.cjs" },
    metafile: { type: "string" },
  },
});

const { metafile } = await build({
  ...BUNDLING,
  entryPoints: ["src/extension.ts"],
  outfile: resolve(options.outfile),
  sourcemap: options.sourcemap,
  minify: options.minify,
  metafile: true,
});
if (options.metafile) writeFileSync(options.metafile, JSON.stringify(metafile));
