/** The arguments that tools were last called with in this workspace, secrets left out. */
import type { Store } from "../switches.js";
import { secretName } from "../text/secret_names.js";
import type { Form } from "./fields.js";

const KEY = "lastArguments";
/** How many tools are remembered, and how long a value may be. */
const TOOLS = 50;
const LENGTH = 4000;

interface Entry {
  /** tool is "server/tool". */
  readonly tool: string;
  readonly values: Readonly<Record<string, string>>;
}

export class Memory {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** last are the values, JSON by name, that are still arguments of the tool. */
  last(tool: string, form: Form): Map<string, string> {
    const values = this.#entries.find((entry) => entry.tool === tool)?.values ?? {};
    const known = (name: string) => form.whole || form.fields.some((field) => field.name === name);
    return new Map(Object.entries(values).filter(([name]) => known(name)));
  }

  async remember(tool: string, form: Form, values: ReadonlyMap<string, string>): Promise<void> {
    const kept = [...values].filter(([name, json]) => json.length <= LENGTH && !isSecret(form, name, json));
    const others = this.#entries.filter((entry) => entry.tool !== tool);
    const entries: Entry[] = [{ tool, values: Object.fromEntries(kept) }, ...others];
    await this.#store.update(KEY, entries.slice(0, TOOLS));
  }

  get #entries(): readonly Entry[] {
    return this.#store.get<Entry[]>(KEY) ?? [];
  }
}

function isSecret(form: Form, name: string, json: string): boolean {
  const field = form.fields.find((one) => one.name === name);
  if (field?.secret ?? secretName(name)) return true;
  // A secret may lie deeper.
  return [...json.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].some(([, inner]) => secretName(inner ?? ""));
}
