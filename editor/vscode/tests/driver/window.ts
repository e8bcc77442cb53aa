/**
 * A Window of the editor: what a person sees and does in it. What is looked for is found by what it says or by its role,
 * where VS Code has one, else by the classes of VS Code's own elements, which this file alone knows.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { stripVTControlCharacters } from "node:util";
import type { Locator, Page } from "playwright-core";
import type { Editor } from "./editor.js";
import { until } from "./patience.js";
import { type Project, required } from "./world.js";

type Text = string | RegExp;

/** After so many milliseconds the palette is opened anew. */
const ANEW = 1000;

export class Window {
  constructor(
    readonly page: Page,
    readonly editor: Editor,
    readonly project: Project,
  ) {}

  /** load opens the folder, and waits until there is something to work with. */
  async load(payload: Record<string, string> = {}): Promise<void> {
    const query = new URLSearchParams({ folder: this.project.dir });
    if (Object.keys(payload).length > 0) query.set("payload", JSON.stringify(Object.entries(payload)));
    await this.page.goto(`${this.editor.url}/?${query}`);
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor();
  }

  /** state is all that VS Code has kept by now for its windows: a page that is left at once loses what is on its way. */
  state(): Promise<string> {
    return this.page.evaluate(STATE);
  }

  /** close leaves the page first, so that the workbench says goodbye, as it does when a person closes the window. */
  async close(): Promise<void> {
    if (this.page.isClosed()) return;
    this.page.on("dialog", (dialog) => dialog.accept());
    await this.page.goto("about:blank");
    await this.page.close();
  }

  /**
   * command runs one by the palette, as it is shown there: `command("MCP Sidecar: Show Log")`. The palette lists what
   * could be done when it was opened; so it is opened anew for what can only be done now.
   */
  async command(title: string): Promise<void> {
    const found = this.picks(new RegExp(`^${escaped(title)}(,|$)`)).first();
    await until(`${title} in the palette`, async () => {
      await this.palette(`>${title}`);
      const there = await found.waitFor({ timeout: ANEW }).then(
        () => true,
        () => false,
      );
      if (!there) await this.page.keyboard.press("Escape");
      return there;
    });
    await found.click();
  }

  /** open opens a file of the folder. */
  async open(path: string): Promise<void> {
    await this.palette(path);
    await this.pick(new RegExp(`^${escaped(path.split("/").at(-1) ?? path)}(,| |$)`));
    await this.tab(path.split("/").at(-1) ?? path).waitFor();
  }

  /** palette opens it with this text in its input. */
  async palette(text: string): Promise<void> {
    await this.page.keyboard.press("F1");
    await this.input.waitFor();
    await this.input.fill(text);
  }

  /** input is the line of an input box or a quick pick. */
  get input(): Locator {
    return this.page.locator(".quick-input-widget input[type=text], .quick-input-widget input.input").first();
  }

  /** dismiss closes what asks there. */
  async dismiss(): Promise<void> {
    await this.page.keyboard.press("Escape");
    await this.input.waitFor({ state: "hidden" });
  }

  /** answer gives a line to an input box. */
  async answer(text: string): Promise<void> {
    await this.input.fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** picks are the entries of a quick pick that say this. */
  picks(says: Text): Locator {
    const widget = this.page.locator(".quick-input-widget");
    // Where more than one can be picked they are checkboxes.
    return widget.getByRole("option", { name: says }).or(widget.getByRole("checkbox", { name: says }));
  }

  /** pick takes the first of them. */
  async pick(says: Text): Promise<void> {
    await this.picks(says).first().click();
  }

  /** status is an item of the status bar that says this. */
  status(says: Text): Locator {
    return this.page.locator(".statusbar-item", { hasText: says });
  }

  /** view opens one of the activity bar. */
  async view(title: string): Promise<void> {
    const tab = this.page.locator(".activitybar").getByRole("tab", { name: title });
    if ((await tab.getAttribute("aria-selected")) !== "true") await tab.click();
    await this.page.locator(".sidebar .composite.title", { hasText: title }).waitFor();
  }

  /** row is one of a tree in the side bar. Its buttons are `row(…).getByRole("button", { name })` under the mouse. */
  row(says: Text): Locator {
    return this.page.locator(".sidebar .monaco-list-row", { hasText: says });
  }

  /** welcome is what a view says while it is empty. */
  welcome(says: Text): Locator {
    return this.page.locator(".sidebar .welcome-view", { hasText: says });
  }

  /** notification is a toast that says this; `notification(…).getByRole("button", { name })` answers it. */
  notification(says: Text): Locator {
    return this.page.locator(".notification-toast", { hasText: says });
  }

  /** dialog is a modal one. */
  dialog(says: Text): Locator {
    return this.page.locator(".monaco-dialog-box", { hasText: says });
  }

  /** tab is that of an editor. */
  tab(says: Text): Locator {
    return this.page.locator(".tabs-container .tab", { hasText: says });
  }

  /** text is the visible part of the editor that has the focus, or had it last. */
  get text(): Locator {
    return this.page.locator(".editor-group-container.active .monaco-editor .view-lines").first();
  }

  /** lens is a command above a line of the active editor. VS Code shows its text first, and then what can be clicked. */
  lens(says: Text): Locator {
    return this.page.locator(".editor-group-container.active .codelens-decoration a", { hasText: says });
  }

  /** squiggles are those of the active editor. */
  squiggles(severity: "error" | "warning" | "info" = "error"): Locator {
    return this.page.locator(`.editor-group-container.active .squiggly-${severity}`);
  }

  /** output is what the panel shows: after a command that shows a log, its end. */
  output(says: Text): Locator {
    return this.page.locator(".part.panel .output-view, .part.panel", { hasText: says }).first();
  }

  /** secrets is what the browser keeps of them, sealed. VS Code writes it some time after it has said that it has. */
  secrets(): Promise<string | null> {
    return this.page.evaluate('localStorage.getItem("secrets.provider")');
  }

  /** screenshot writes NAME-dark.png and NAME-light.png, and leaves the window dark. */
  async screenshot(name: string): Promise<void> {
    for (const [scheme, theme] of [
      ["light", "vs"],
      ["dark", "vs-dark"],
    ] as const) {
      await this.page.emulateMedia({ colorScheme: scheme });
      await this.page.locator(`.monaco-workbench.${theme}`).waitFor();
      const path = join(required("MCP_SIDECAR_TEST_OUTPUT"), "screenshots", `${name}-${scheme}.png`);
      await this.page.screenshot({ path, animations: "disabled" });
    }
  }

  /**
   * check is a part of a test, which goes on only if it holds. A failure names a screenshot, and a file with the
   * editor's log and with what happened to the servers.
   */
  async check(t: TestContext, name: string, body: () => Promise<void>): Promise<void> {
    let failed = false;
    await t.test(name, async () => {
      try {
        await body();
      } catch (error) {
        failed = true;
        throw await this.explained(`${t.name} ${name}`, error);
      }
    });
    if (failed) throw new Error(`not gone on after: ${name}`);
  }

  /** explained is the error with what there is to look at. */
  async explained(name: string, error: unknown): Promise<Error> {
    const base = join(required("MCP_SIDECAR_TEST_OUTPUT"), "failures", name.replaceAll(/[^\w.-]+/g, "-"));
    mkdirSync(dirname(base), { recursive: true });
    const happened = `=== what happened to the servers\n${this.project.hub.trace}\n`;
    writeFileSync(`${base}.log`, `${happened}${this.editor.logs()}`);
    const shown = await this.page.screenshot({ path: `${base}.png`, timeout: 5000 }).then(
      () => `${base}.png`,
      (reason: Error) => `no screenshot: ${reason.message}`,
    );
    const stack = stripVTControlCharacters(
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
    const explained = new Error(`${name}: ${stack.split("\n", 1)[0]}`);
    explained.stack = `${stack}\nthe window: ${shown}\nits log: ${base}.log`;
    return explained;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** What `state` runs in the page. A text: the types of a browser are not those of the tests. */
const STATE = `(async () => {
  const got = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const texts = [];
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith("vscode-web-state-db")) continue;
    const db = await got(indexedDB.open(name));
    for (const store of db.objectStoreNames) {
      texts.push(JSON.stringify(await got(db.transaction(store).objectStore(store).getAll())));
    }
    db.close();
  }
  return texts.join("\\n");
})()`;
