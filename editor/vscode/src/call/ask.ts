/** Asks for the arguments of a call by quick input: required ones in turn, optional ones from a menu. */
import * as vscode from "vscode";
import { cut, oneLine } from "../text/bounded.js";
import { iconless, linkless } from "../text/places.js";
import { argumentsText } from "./document.js";
import type { Choice, Field, Form } from "./fields.js";
import { joined, type Read, read, typed } from "./value.js";

/**
 * Asked is how a form ends.
 * - `call`: the arguments are there
 * - `write`: they are to be written as JSON, beginning with those that are given
 */
export interface Asked {
  readonly kind: "call" | "write";
  readonly given: ReadonlyMap<string, string>;
}

/** Answer to one question. `cancel`: the user has closed it. */
type Answer = Read | { readonly kind: "back" } | { readonly kind: "cancel" };

/** Step is where in the form a question is. */
interface Step {
  readonly title: string;
  readonly step?: number;
  readonly total?: number;
  readonly back: boolean;
}

const BACK: Answer = { kind: "back" };
const CANCEL: Answer = { kind: "cancel" };

/** ask offers the values that are given, and else the schema's defaults. It is undefined if the user gives up. */
export async function ask(
  title: string,
  form: Form,
  offered: ReadonlyMap<string, string>,
): Promise<Asked | undefined> {
  const given = new Map<string, string>();
  const required = form.fields.filter((field) => field.required);
  const settled = required.filter((field) => onlyChoice(field) !== undefined);
  for (const field of settled) given.set(field.name, onlyChoice(field) ?? "");
  const turns = required.filter((field) => field.kind !== "json" && !settled.includes(field));
  const rest = form.fields.filter((field) => !turns.includes(field) && !settled.includes(field));
  const write = form.whole || rest.some((field) => field.required);
  if (turns.length === 0 && write && !rest.some((field) => !field.required)) return { kind: "write", given };
  for (const { name, required: needed } of rest) {
    const value = offered.get(name);
    if (!needed && value !== undefined) given.set(name, value);
  }
  const total = turns.length + (rest.length > 0 ? 1 : 0);
  let at = 0;
  for (;;) {
    const field = turns[at];
    if (field === undefined) {
      if (rest.length === 0) return { kind: "call", given };
      const end = await menu({ title, step: total, total, back: at > 0 }, rest, given, write);
      if (end === "cancel") return undefined;
      if (end !== "back") return { kind: end, given };
      at--;
      continue;
    }
    const value = given.get(field.name) ?? offered.get(field.name) ?? field.default;
    const step = { title: titleOf(title, field), step: at + 1, total, back: at > 0 };
    const answer = await question(step, field, value);
    if (answer.kind === "cancel") return undefined;
    if (answer.kind === "json") given.set(field.name, answer.json);
    at += answer.kind === "back" ? -1 : 1;
  }
}

/** titleOf names the argument: a complaint stands where the prompt was. */
function titleOf(title: string, { name }: Field): string {
  return `${title}: ${oneLine(name, 60)}`;
}

/** Where there is nothing to choose, nothing is asked. */
function onlyChoice({ kind, choices, nullable }: Field): string | undefined {
  return kind === "choice" && choices.length === 1 && !nullable ? choices[0]?.json : undefined;
}

type Row = vscode.QuickPickItem & { readonly act?: "call" | "write" | Field };

/** menu lets the user choose optional arguments until it is enough. */
async function menu(
  step: Step,
  fields: readonly Field[],
  given: Map<string, string>,
  write: boolean,
): Promise<"call" | "write" | "back" | "cancel"> {
  for (;;) {
    const row = await pickOne(step, rows(fields, given, write), "Call, or add an argument…");
    if (row === "back" || row === "cancel") return row;
    const { act } = row;
    if (act === "call" || act === "write") return act;
    if (act === undefined) continue;
    if (act.kind === "json") return "write";
    const inner = { title: titleOf(step.title, act), back: true };
    const answer = await question(inner, act, given.get(act.name) ?? act.default);
    if (answer.kind === "cancel") return "cancel";
    if (answer.kind === "json") given.set(act.name, answer.json);
    if (answer.kind === "leftOut") given.delete(act.name);
  }
}

function rows(fields: readonly Field[], given: ReadonlyMap<string, string>, write: boolean): Row[] {
  const optional = fields.filter((field) => !field.required);
  const complex = fields.filter((field) => field.required).map(({ name }) => oneLine(name));
  const first: Row = write
    ? {
        label: "$(json) Continue in an Editor",
        detail: `There, ${iconless(complex.join(", "))} can be written as JSON.`,
        act: "write",
        alwaysShow: true,
      }
    : { label: "$(play) Call Now", detail: preview(given), act: "call", alwaysShow: true };
  const arguments_ = optional.map((field): Row => {
    const value = given.get(field.name);
    const shown = value === undefined ? field.type : `= ${field.secret ? "…" : oneLine(value, 60)}`;
    const icon = value === undefined ? "$(add)" : "$(edit)";
    return {
      label: `${icon} ${iconless(oneLine(field.name))}`,
      description: iconless(shown),
      ...(field.description !== "" && { detail: iconless(field.description) }),
      act: field,
    };
  });
  const last: Row[] = write
    ? []
    : [{ label: "$(json) Write All in an Editor", description: "as JSON", act: "write" }];
  const heading = { label: "optional arguments", kind: vscode.QuickPickItemKind.Separator };
  return [first, ...(arguments_.length > 0 ? [heading] : []), ...arguments_, ...last];
}

function preview(given: ReadonlyMap<string, string>): string {
  return given.size === 0
    ? "Without arguments"
    : `With ${[...given.keys()].map((name) => iconless(oneLine(name, 40))).join(", ")}`;
}

function question(step: Step, field: Field, value: string | undefined): Promise<Answer> {
  switch (field.kind) {
    case "choice":
      return chooseOne(step, field, value);
    case "choices":
      return chooseSome(step, field, value);
    default:
      return type(step, field, value);
  }
}

type ChoiceRow = vscode.QuickPickItem & { readonly json?: string };

async function chooseOne(step: Step, field: Field, value: string | undefined): Promise<Answer> {
  const all = field.choices.map((choice) => choiceRow(choice, field.default));
  if (field.nullable && !all.some(({ json }) => json === "null")) all.push({ label: "null", json: "null" });
  const items: ChoiceRow[] = field.required ? all : [{ label: "(leave out)" }, ...all];
  const row = await pickOne(step, items, prompt(field), (item) => item.json === value);
  if (row === "back") return BACK;
  if (row === "cancel") return CANCEL;
  return row.json === undefined ? { kind: "leftOut" } : { kind: "json", json: row.json };
}

function choiceRow({ label, description, json }: Choice, otherwise: string | undefined): ChoiceRow {
  const words = [description, json === otherwise ? "default" : undefined].filter(
    (word) => word !== undefined,
  );
  return {
    label: iconless(label),
    json,
    ...(words.length > 0 && { description: iconless(words.join(" · ")) }),
  };
}

/** pickOne is one row of a quick pick. */
function pickOne<T extends vscode.QuickPickItem>(
  step: Step,
  items: readonly T[],
  placeholder: string,
  isActive: (item: T) => boolean = () => false,
): Promise<T | "back" | "cancel"> {
  const pick = prepared(vscode.window.createQuickPick<T>(), step);
  pick.items = items;
  pick.placeholder = placeholder;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  const active = items.find(isActive);
  if (active !== undefined) pick.activeItems = [active];
  return shown<T | "back" | "cancel">(pick, "back", "cancel", (answer) => {
    pick.onDidAccept(() => {
      const [row] = pick.activeItems;
      if (row !== undefined) answer(row);
    });
  });
}

function chooseSome(step: Step, field: Field, value: string | undefined): Promise<Answer> {
  const pick = prepared(vscode.window.createQuickPick<ChoiceRow>(), step);
  pick.canSelectMany = true;
  pick.items = field.choices.map((choice) => choiceRow(choice, undefined));
  pick.placeholder = prompt(field);
  const before = itemsOf(value);
  pick.selectedItems = pick.items.filter(({ json }) => json !== undefined && before.includes(json));
  return shown<Answer>(pick, BACK, CANCEL, (answer) => {
    pick.onDidAccept(() => {
      const chosen = joined(
        field,
        pick.selectedItems.map(({ json }) => json ?? "null"),
      );
      if (chosen.kind === "problem") pick.title = `${step.title} — ${chosen.message}`;
      else answer(chosen);
    });
  });
}

function itemsOf(json: string | undefined): string[] {
  try {
    const value: unknown = JSON.parse(json ?? "[]");
    return Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : [];
  } catch {
    return [];
  }
}

function type(step: Step, field: Field, value: string | undefined): Promise<Answer> {
  const input = prepared(vscode.window.createInputBox(), step);
  input.prompt = linkless(prompt(field));
  input.placeholder = field.type;
  input.password = field.secret;
  input.value = (value !== undefined && typed(field, value)) || "";
  return shown<Answer>(input, BACK, CANCEL, (answer) => {
    // What is being typed is not complained about before it was once given as an answer.
    let tried = false;
    const check = (): Read => {
      const checked = read(field, input.value);
      input.validationMessage = tried && checked.kind === "problem" ? linkless(checked.message) : undefined;
      return checked;
    };
    input.onDidChangeValue(check);
    input.onDidAccept(() => {
      tried = true;
      const checked = check();
      if (checked.kind !== "problem") answer(checked);
    });
  });
}

function prompt({ name, required, description, type, nullable, kind }: Field): string {
  const empty = nullable && kind !== "text" && required ? ", empty is null" : "";
  const head = `${oneLine(name)} (${required ? `required${empty}` : "optional, empty leaves it out"})`;
  const text = description === "" ? type : description;
  return `${head}: ${cut(text, 250)}`;
}

function prepared<T extends vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox>(
  input: T,
  step: Step,
): T {
  input.title = step.title;
  input.step = step.step;
  input.totalSteps = step.total;
  // The user may look something up meanwhile.
  input.ignoreFocusOut = true;
  if (step.back) input.buttons = [vscode.QuickInputButtons.Back];
  return input;
}

/** shown shows an input until it is answered, left by the button, or closed. */
function shown<T>(
  input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox,
  back: T,
  closed: T,
  listen: (answer: (value: T) => void) => void,
): Promise<T> {
  return new Promise((resolve) => {
    const answer = (value: T) => {
      resolve(value);
      input.dispose();
    };
    input.onDidTriggerButton(() => answer(back));
    input.onDidHide(() => answer(closed));
    listen(answer);
    input.show();
  });
}

/** textOf is what is called with. */
export function textOf({ given }: Asked): string {
  return argumentsText(given);
}
