/** How the extension is bundled: what runs in the editor is made so, and tests of it are, too. */

/** @type {import("esbuild").BuildOptions} */
export const BUNDLING = {
  absWorkingDir: import.meta.dirname,
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
  logLevel: "warning",
};
