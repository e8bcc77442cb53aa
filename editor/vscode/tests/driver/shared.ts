/**
 * What the test files share: one browser, and one editor for all who want the same options. They run in one process (see
 * run.mjs), one test after the other; ending.ts stops what is here.
 */
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { Browser } from "./browser.js";
import { Editor, type EditorOptions } from "./editor.js";
import { until } from "./patience.js";
import { Window } from "./window.js";
import { lines, type Project } from "./world.js";

let browser: Promise<Browser> | undefined;
const editors = new Map<string, Promise<Editor>>();

/** The options of most windows: the servers of a project start without a question. */
export const ALLOWED: EditorOptions = { settings: { "mcpSidecar.trust.project": "allow" } };

export interface WindowOptions extends EditorOptions {
  /** The files of the folder, by path: `(project) => ({ ".mcp.json": project.servers({ a: "tool echo" }) })`. */
  files?: (project: Project) => Record<string, string>;
  /** The name of the folder. */
  folder?: string;
  /** Members of VS Code's payload, and what to do before the page is loaded: see host.ts. */
  payload?: (editor: Editor) => Record<string, string>;
  prepare?: (page: Page) => Promise<void>;
}

/** editor is the one with these options. */
export function editor(options: EditorOptions = {}): Promise<Editor> {
  const key = JSON.stringify(options);
  const started = editors.get(key) ?? Editor.start(options);
  editors.set(key, started);
  return started;
}

/**
 * openWindow opens a window on a new folder, and closes it with the test. Then no process that runs in the folder may be
 * left.
 */
export async function openWindow(t: TestContext, options: WindowOptions = {}): Promise<Window> {
  const { files, folder, payload, prepare, ...rest } = options;
  const one = await editor(rest);
  const project = await one.world.project(folder);
  for (const [path, text] of Object.entries(files?.(project) ?? {})) project.write(path, text);
  browser ??= Browser.launch();
  const window = new Window(await (await browser).page(), one, project);
  t.after(async () => {
    await window.close();
    const left = () => project.processes(one.world.processes());
    await until(
      () => `these processes to end with the window:\n${lines(left())}`,
      () => left().length === 0,
    );
  });
  await prepare?.(window.page);
  await window.load(payload?.(one));
  return window;
}

/** stopAll stops the browser and the editors. What each leaves behind is a failure. */
export async function stopAll(): Promise<void> {
  await (await browser)?.close();
  const stopped = await Promise.allSettled([...editors.values()].map(async (one) => (await one).stop()));
  const reasons = stopped.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (reasons.length === 1) throw reasons[0];
  if (reasons.length > 1) throw new AggregateError(reasons);
}
