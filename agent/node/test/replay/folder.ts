// Where the transcripts are, and what stands for the placeholders when no process runs.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository: the nearest directory above this file that has the transcripts. */
export const repository = above(dirname(fileURLToPath(import.meta.url)));

function above(directory: string): string {
  if (existsSync(join(directory, "conformance", "transcripts"))) return directory;
  const parent = dirname(directory);
  if (parent === directory) throw new Error("there is no conformance/transcripts above this file");
  return above(parent);
}

/** A file of dialogues, with its path in the repository. */
export interface DialogueFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

/** The dialogues in a directory of the repository, by name. */
export function dialoguesIn(directory: string): DialogueFile[] {
  const names = readdirSync(join(repository, directory)).filter((name) => name.endsWith(".txtar"));
  return names.sort().map((name) => {
    const path = `${directory}/${name}`;
    return {
      name: name.slice(0, -".txtar".length),
      path,
      text: readFileSync(join(repository, path), "utf8"),
    };
  });
}

/** The client that $INIT names. */
export const client = { name: "conformance", version: "1" };

/** Replaces the placeholders. The paths are absolute and exist nowhere. */
export function expand(text: string): string {
  const placeholder = /\$(HOME|PROJECT|CACHE|STATE|FAKE|INIT)\b|\$(SCRIPT|STDIO|URL)\(([\w-]+)\)/g;
  return text.replace(placeholder, (_, plain?: string, called?: string, name?: string) => {
    const script = `/conformance/scripts/${name}`;
    switch (plain ?? called) {
      case "FAKE":
        return "/conformance/fake";
      case "INIT":
        return `"protocolVersion":1,"client":${JSON.stringify(client)},"cwd":"/conformance/project"`;
      case "SCRIPT":
        return script;
      case "STDIO":
        return `"command":"/conformance/fake","args":["${script}"]`;
      case "URL":
        return `http://127.0.0.1:1/${name}`;
      default:
        return `/conformance/${(plain as string).toLowerCase()}`;
    }
  });
}
