/**
 * The values of ${input:…} that the user gave, as one text in the editor's secret storage: values, and what they
 * are of, cannot go apart, and other windows read the same. Pure, but for the Store.
 *
 * A value belongs to a file of a machine, as the sidecar has it: what was typed for one project is never given to
 * the file of another, nor to a file of the same path on another machine.
 */

/** Store is what VS Code's SecretStorage is to this module. */
export interface Store {
  get(key: string): Thenable<string | undefined>;
  store(key: string, value: string): Thenable<void>;
  delete(key: string): Thenable<void>;
}

/** Place is what a value is of. */
export interface Place {
  /** machine is "" for the one that the editor's window is on. */
  readonly machine: string;
  readonly path: string;
  readonly id: string;
}

export interface Kept extends Place {
  /** server asked for it first. */
  readonly server: string;
}

interface Entry extends Kept {
  readonly value: string;
}

const KEY = "inputs";

export class Vault {
  readonly #store: Store;
  /** The last change; the next waits for it, so that none is lost. */
  #turn: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  async value(place: Place): Promise<string | undefined> {
    return (await this.#entries()).find((entry) => isAt(entry, place))?.value;
  }

  /** list is everything that is kept, without the values. */
  async list(): Promise<readonly Kept[]> {
    return (await this.#entries()).map(({ machine, path, id, server }) => ({ machine, path, id, server }));
  }

  keep(kept: Kept, value: string): Promise<void> {
    return this.#change((entries) => [...entries.filter((entry) => !isAt(entry, kept)), { ...kept, value }]);
  }

  forget(places: readonly Place[]): Promise<void> {
    return this.#change((entries) => entries.filter((entry) => !places.some((place) => isAt(entry, place))));
  }

  #change(change: (entries: Entry[]) => Entry[]): Promise<void> {
    const turn = this.#turn.then(async () => {
      const entries = change(await this.#entries());
      if (entries.length === 0) await this.#store.delete(KEY);
      else await this.#store.store(KEY, JSON.stringify(entries));
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #entries(): Promise<Entry[]> {
    const text = await this.#store.get(KEY);
    if (text === undefined) return [];
    try {
      const entries: unknown = JSON.parse(text);
      return Array.isArray(entries) ? entries.filter(isEntry) : [];
    } catch {
      return []; // what cannot be read is as good as nothing: it is asked for again
    }
  }
}

export function isAt(one: Place, other: Place): boolean {
  return one.machine === other.machine && one.path === other.path && one.id === other.id;
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const members = value as { readonly [name: string]: unknown };
  return ["machine", "path", "id", "server", "value"].every((name) => typeof members[name] === "string");
}
