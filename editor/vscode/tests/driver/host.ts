/**
 * Tests inside the extension host of a window, where the extension runs: with VS Code's API, and with what the extension
 * gives to others. VS Code loads a module instead of the user's work when the page is opened so (as its own integration
 * tests do, test/integration/browser); inside.ts is the part on the other side.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { type TestContext, test } from "node:test";
import type { Report } from "./inside.js";
import { within } from "./patience.js";
import { openWindow, type WindowOptions } from "./shared.js";
import { required } from "./world.js";

/** How long all of them may take. */
const PATIENCE = 240_000;

/** hostTests registers the tests of a bundle, each as one of node:test. */
export function hostTests(bundle: string, options: WindowOptions = {}): void {
  test("inside the extension host", async (t) => {
    const { code, reports, explained } = await run(t, bundle, options);
    for (const { title, error } of reports) {
      await t.test(title, async () => {
        if (error !== undefined) throw await explained(error);
      });
    }
    if (reports.length === 0) throw await explained(`no test has run, and VS Code says ${code}`);
  });
}

async function run(t: TestContext, bundle: string, options: WindowOptions) {
  let ended = (_: number) => {};
  const end = new Promise<number>((resolve) => {
    ended = resolve;
  });
  const window = await openWindow(t, {
    ...options,
    inside: true,
    prepare: async (page) => {
      await page.exposeFunction("codeAutomationExit", (code: number) => ended(code));
      await page.exposeFunction("codeAutomationLog", () => {});
    },
    payload: ({ authority }) => ({
      // VS Code wants an extension in development. It is the model; ours is the installed one.
      extensionDevelopmentPath: `vscode-remote://${authority}${required("MCP_SIDECAR_TEST_MODEL_SOURCE")}`,
      extensionTestsPath: `vscode-remote://${authority}${bundle}`,
    }),
  });
  const explained = (error: unknown) => window.explained(`host ${basename(bundle)}`, error);
  const code = await within(`the tests in ${bundle}`, end, PATIENCE).catch(async (error: unknown) => {
    throw await explained(error);
  });
  const file = window.editor.report(basename(bundle));
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const reports = text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Report]));
  return { code, reports, explained };
}
