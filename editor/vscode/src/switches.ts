/**
 * What the user has switched off in this workspace: servers, and tools as "server/tool". The editor keeps it;
 * the sidecar is told (settings.disabled).
 */

/** Store is what VS Code's Memento is to this module. */
export interface Store {
  get<T>(key: string): T | undefined;
  update(key: string, value: unknown): Thenable<void>;
}

const KEY = "switchedOff";

/** nameOf is how a server, or a tool of it by the server's own name, is called in the list. */
export function nameOf(server: string, tool?: string): string {
  return tool === undefined ? server : `${server}/${tool}`;
}

export class Switches {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** off is sorted. */
  get off(): readonly string[] {
    return this.#store.get<string[]>(KEY) ?? [];
  }

  isOff(server: string, tool?: string): boolean {
    return this.off.includes(nameOf(server, tool));
  }

  /** turn switches names on or off, and remembers it. */
  async turn(names: readonly string[], on: boolean): Promise<void> {
    const rest = this.off.filter((name) => !names.includes(name));
    await this.#store.update(KEY, (on ? rest : [...rest, ...names]).sort());
  }
}
