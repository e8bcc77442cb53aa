/**
 * The environment of the sidecar, and so of the servers: the editor's, without what tells the editor's own
 * processes what they are (a server that starts an Electron program, or the editor itself, would be misled).
 * Pure.
 */

const EDITORS_OWN = /^(VSCODE|ELECTRON)_/;

/** Additions are what the Node client adds to an environment; undefined takes a variable out. */
export type Additions = Readonly<Record<string, string | undefined>>;

/** environment is what is added to the editor's environment: `wished` by the user, who has the last word. */
export function environment(editor: NodeJS.ProcessEnv, wished: Additions): Additions {
  const own = Object.keys(editor).filter((name) => EDITORS_OWN.test(name));
  return { ...Object.fromEntries(own.map((name) => [name, undefined])), ...wished };
}
