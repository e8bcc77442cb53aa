/** The dialogs in which the user gives the value of an input. */
import type { InputParams } from "mcp-sidecar";
import * as vscode from "vscode";
import { inPick } from "../text/places.js";
import { promptOf, titleOf, writtenIn } from "./questions.js";

/** askFor resolves with the value, or with undefined if the user gives none or the question is withdrawn. */
export function askFor(
  question: InputParams,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return question.options !== undefined && question.options.length > 0
    ? choose(question, question.options, path, signal)
    : type(question, path, signal);
}

function type(question: InputParams, path: string, signal: AbortSignal): Promise<string | undefined> {
  const box = vscode.window.createInputBox();
  box.title = titleOf(question);
  box.prompt = promptOf(question, vscode.workspace.asRelativePath(path));
  box.password = question.password ?? false;
  box.value = question.default ?? "";
  return shown(box, () => box.value, signal);
}

interface Option extends vscode.QuickPickItem {
  readonly value: string;
}

/** choose has the default first: it is what Enter takes. */
function choose(
  question: InputParams,
  options: readonly string[],
  path: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const list = vscode.window.createQuickPick<Option>();
  const isDefault = (value: string) => value === question.default;
  list.title = titleOf(question);
  list.placeholder = writtenIn(question, vscode.workspace.asRelativePath(path));
  list.items = [...options.filter(isDefault), ...options.filter((value) => !isDefault(value))].map(
    (value) => ({
      value,
      label: inPick(value),
      ...(isDefault(value) && { description: "default" }),
    }),
  );
  return shown(list, () => list.selectedItems[0]?.value, signal);
}

type Shown = Pick<
  vscode.InputBox,
  "show" | "hide" | "dispose" | "onDidHide" | "onDidAccept" | "ignoreFocusOut"
>;

function shown(
  box: Shown,
  value: () => string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The value may have to be looked for in another program.
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    const hide = () => box.hide();
    signal.addEventListener("abort", hide, { once: true });
    box.onDidAccept(() => {
      resolve(value());
      box.hide();
    });
    box.onDidHide(() => {
      signal.removeEventListener("abort", hide);
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
