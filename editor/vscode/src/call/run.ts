/** One call of a tool, with its progress and a way to give it up. */
import type { CallOutcome, Progress, Sidecar, Tool } from "mcp-sidecar";
import * as vscode from "vscode";
import { oneLine } from "../text/bounded.js";
import { linkless } from "../text/places.js";

/** run resolves with nothing if the user gives the call up. */
export function run(sidecar: Sidecar, tool: Tool, args: string): Promise<CallOutcome | undefined> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: linkless(oneLine(tool.label, 100)),
    cancellable: true,
  };
  return Promise.resolve(
    vscode.window.withProgress(options, async (progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      if (tool.state === "deferred") progress.report({ message: "waiting for the server…" });
      const report = steps(progress);
      try {
        return await sidecar.call(tool.name, args, { signal: abort.signal, onProgress: report });
      } catch (error) {
        if (token.isCancellationRequested) return undefined;
        throw error;
      }
    }),
  );
}

/** steps tells the editor of progress, which wants to know how much was added. */
function steps(
  progress: vscode.Progress<{ message?: string; increment?: number }>,
): (progress: Progress) => void {
  let told = 0;
  return ({ progress: done, total, message }) => {
    const percent = typeof total === "number" && total > 0 ? Math.min(100, (100 * done) / total) : undefined;
    const words = [
      ...(message === undefined ? [] : [linkless(oneLine(message, 200))]),
      ...(percent === undefined ? [] : [`${Math.floor(percent)} %`]),
    ];
    const increment = percent === undefined ? 0 : Math.max(0, percent - told);
    told += increment;
    progress.report({ message: words.join(" · "), ...(increment > 0 && { increment }) });
  };
}
