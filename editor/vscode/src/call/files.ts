/**
 * Files that the editor is to show: in a directory that nobody else can read, until the window closes. What a
 * window left that could not close in order is removed by the next one.
 */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

export class Files implements vscode.Disposable {
  readonly #root: string;
  readonly #own: string;

  constructor(context: vscode.ExtensionContext) {
    this.#root = join((context.storageUri ?? context.globalStorageUri).fsPath, "results");
    this.#own = join(this.#root, `${process.pid}-${randomUUID()}`);
    this.#sweep().catch(() => {}); // it is tried again by the next window
  }

  /** write makes a file with what is written in base64. Its name ends as given. */
  async write(name: string, base64: string): Promise<vscode.Uri> {
    const directory = join(this.#own, randomUUID().slice(0, 8));
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, name);
    await writeFile(path, Buffer.from(base64, "base64"), { mode: 0o600, flag: "wx" });
    return vscode.Uri.file(path);
  }

  /** dispose does not wait: nothing is waited for when a window closes. */
  dispose(): void {
    rmSync(this.#own, { recursive: true, force: true });
  }

  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#root)) {
      if (!lives(Number.parseInt(name, 10)))
        await rm(join(this.#root, name), { recursive: true, force: true });
    }
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
