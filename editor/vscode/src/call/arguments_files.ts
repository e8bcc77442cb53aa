/**
 * The texts in which arguments are written, as files in memory: unlike one without a file, such a text is not for
 * ever unsaved, and nobody is asked about it when the editor is closed.
 */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";

/** SCHEME is in package.json: in an activation event, and in what is there for these editors alone. */
const SCHEME = "mcp-sidecar-arguments";
/** How many are kept, so that a closed editor can be opened again. */
const FILES = 50;
/** What a window finds that was opened with an editor of a former one. */
const NOTHING: File = { bytes: Buffer.from("{\n  \n}\n"), time: 0 };

interface File {
  readonly bytes: Uint8Array;
  /** time is when it was written, in milliseconds. */
  readonly time: number;
}

export class ArgumentsFiles implements vscode.Disposable, vscode.FileSystemProvider {
  readonly #files = new Map<string, File>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registered: vscode.Disposable;

  constructor() {
    this.#registered = vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true });
  }

  dispose(): void {
    this.#registered.dispose();
    this.#changed.dispose();
  }

  /** create makes a text for a tool. Its address says for which. */
  create(tool: string, server: string, name: string, text: string): vscode.Uri {
    const path = `/${server}-${randomUUID().slice(0, 4)}/${name}.json`;
    const uri = vscode.Uri.from({ scheme: SCHEME, path, query: tool });
    this.writeFile(uri, Buffer.from(text));
    return uri;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, time } = this.#file(uri);
    return { type: vscode.FileType.File, ctime: time, mtime: time, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#file(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const key = uri.toString();
    this.#files.delete(key); // so that it is the last
    this.#files.set(key, { bytes, time: Date.now() });
    const [oldest] = this.#files.keys();
    if (oldest !== undefined && this.#files.size > FILES) this.#files.delete(oldest);
  }

  /** watch has nothing to do: nobody but the editor changes a text. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  #file(uri: vscode.Uri): File {
    if (toolOf(uri) === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return this.#files.get(uri.toString()) ?? NOTHING;
  }
}

/** SELECTOR is for all of these texts. */
export const SELECTOR: vscode.DocumentFilter = { scheme: SCHEME };

/** toolOf is the tool that such a text is for. */
export function toolOf({ scheme, query }: vscode.Uri): string | undefined {
  return scheme === SCHEME && query !== "" ? query : undefined;
}
