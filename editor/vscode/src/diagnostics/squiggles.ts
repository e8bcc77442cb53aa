/** Which of the things that are wrong are shown in a file, and where. Pure. */
import { isAbsolute } from "node:path";
import type { Diagnostic, Phase, Server, ServerError, Severity } from "mcp-sidecar";
import type { View } from "../view.js";

/** Squiggle is one thing that is wrong at a place of a file, by the sidecar's count. */
export interface Squiggle {
  readonly message: string;
  readonly severity: Severity;
  readonly line: number | undefined;
  readonly column: number | undefined;
}

/** squigglesOf gives them by the path of the file. */
export function squigglesOf({ errors, servers }: View): Map<string, Squiggle[]> {
  const files = new Map<string, Squiggle[]>();
  const add = (path: string, squiggle: Squiggle) => files.set(path, [...(files.get(path) ?? []), squiggle]);
  for (const error of errors) {
    if (isAbsolute(error.path)) add(error.path, ofFile(error));
  }
  for (const { name, error, phase, source } of servers) {
    if (error === undefined || !isAbsolute(source.path) || !isOfEntry(error, phase)) continue;
    // What is wrong with an entry that cannot be used is said at its own place already.
    const said = errors.some(({ path, server, severity }) => {
      return path === source.path && server === name && severity === "error";
    });
    if (!said) add(source.path, ofServer(error, source));
  }
  return files;
}

function ofFile({ error, severity, line, column }: Diagnostic): Squiggle {
  return { message: error, severity, line, column };
}

function ofServer({ message, hint }: ServerError, { line, column }: Server["source"]): Squiggle {
  return { message: hint === undefined ? message : `${message}\n${hint}`, severity: "warning", line, column };
}

/**
 * isOfEntry: the error is one that a change of the entry would mend, as a program that is not found is. One that
 * does not answer has nothing to do with the text, and one that waits for a person is not wrong.
 */
function isOfEntry({ code, stage }: ServerError, phase: Phase): boolean {
  if (phase === "untrusted" || phase === "needs-input" || phase === "ready") return false;
  return code === "not-found" || (stage === "config" && code === "config");
}
