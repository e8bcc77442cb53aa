/** The browser, Chromium: one for all windows. What editors keep in it is apart, since their addresses differ. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { PATIENCE } from "./patience.js";
import { required } from "./world.js";

const FLAGS = [
  // Root has no sandbox, and what is shown here is our own.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The size of a window, in CSS pixels. */
const SIZE = { width: 1280, height: 800 };

export class Browser {
  private constructor(
    readonly context: BrowserContext,
    readonly dir: string,
  ) {}

  static async launch(): Promise<Browser> {
    const dir = mkdtempSync(join(required("MCP_SIDECAR_TEST_PLACE"), "browser-"));
    // A profile of its own, which keeps the editor's compiled code from one window to the next.
    const context = await chromium.launchPersistentContext(dir, {
      executablePath: required("CHROMIUM"),
      headless: true,
      viewport: SIZE,
      locale: "en-US",
      colorScheme: "dark",
      permissions: ["clipboard-read", "clipboard-write"],
      args: FLAGS,
      env: { ...process.env, HOME: dir },
    });
    context.setDefaultTimeout(PATIENCE);
    return new Browser(context, dir);
  }

  page(): Promise<Page> {
    return this.context.newPage();
  }

  async close(): Promise<void> {
    await this.context.close();
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
