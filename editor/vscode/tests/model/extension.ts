/**
 * A chat model that does what it is told, so that VS Code's own agent can be tested: the real agent with the real tools,
 * without a service. A question is its script: each line `call TOOL {…}` is a call of the tool with these arguments, one
 * after the other; the answer after the last tells its result. A line `look N` calls nothing, and is answered with N.
 * What it is asked is written down, a line each, for the test: see chat.ts.
 */
import { appendFileSync } from "node:fs";
import * as vscode from "vscode";

/** What the model was asked: one turn of a conversation. */
export interface Turn {
  /** The folder of the window. */
  folder: string;
  /** The names of the tools that it was offered. */
  tools: string[];
  /** The results of tools that it was told since the question. */
  results: string[];
}

/** The part of VS Code's API that is newer than what the extension is compiled with: stable since 1.104. */
interface Models {
  registerLanguageModelChatProvider(vendor: string, provider: Provider): vscode.Disposable;
}
interface Provider {
  provideLanguageModelChatInformation(): Promise<object[]>;
  provideLanguageModelChatResponse(
    model: unknown,
    messages: readonly vscode.LanguageModelChatMessage[],
    options: { tools?: readonly vscode.LanguageModelChatTool[] },
    progress: vscode.Progress<vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart>,
  ): Promise<void>;
  provideTokenCount(): Promise<number>;
}

const MODEL = {
  id: "scripted-1",
  name: "Scripted One",
  family: "scripted",
  version: "1",
  maxInputTokens: 200_000,
  maxOutputTokens: 8_000,
  isUserSelectable: true,
  isDefault: true,
  capabilities: { toolCalling: true, imageInput: false },
};

const STEP = /^\s*call (\S+) (\{.*\})\s*$/gm;
const LOOK = /^\s*look (\d+)\s*$/m;

export function activate(context: vscode.ExtensionContext): void {
  const models = vscode.lm as unknown as Models;
  let calls = 0;
  const provider: Provider = {
    provideLanguageModelChatInformation: async () => [MODEL],
    provideTokenCount: async () => 1,
    provideLanguageModelChatResponse: async (_, messages, options, progress) => {
      const tools = (options.tools ?? []).map(({ name }) => name);
      const asked = messages.findLastIndex((one) => steps(one).length > 0 || LOOK.test(textOf(one)));
      const results = messages.slice(asked + 1).flatMap(resultsOf);
      tell({ folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", tools, results });
      const question = messages[asked];
      const step = question && steps(question)[results.length];
      if (step === undefined) {
        progress.report(new vscode.LanguageModelTextPart(answer(question, results)));
      } else if (tools.includes(step.tool)) {
        progress.report(new vscode.LanguageModelToolCallPart(`call-${++calls}`, step.tool, step.input));
      } else {
        progress.report(new vscode.LanguageModelTextPart(`No tool ${step.tool} was offered.`));
      }
    },
  };
  context.subscriptions.push(models.registerLanguageModelChatProvider("scripted", provider));
}

function answer(question: vscode.LanguageModelChatMessage | undefined, results: string[]): string {
  const [, look] = LOOK.exec(question === undefined ? "" : textOf(question)) ?? [];
  if (look !== undefined) return `Looked ${look}.`;
  const last = results.at(-1);
  return last === undefined ? "Nothing to call." : `It said: ${last}`;
}

/** textOf is what the user says. */
function textOf({ role, content }: vscode.LanguageModelChatMessage): string {
  if (role !== vscode.LanguageModelChatMessageRole.User) return "";
  const texts = content.filter((part) => part instanceof vscode.LanguageModelTextPart);
  return texts.map(({ value }) => value).join("\n");
}

function steps(message: vscode.LanguageModelChatMessage): { tool: string; input: object }[] {
  return [...textOf(message).matchAll(STEP)].map(([, tool = "", input = ""]) => ({
    tool,
    input: JSON.parse(input) as object,
  }));
}

function resultsOf(message: vscode.LanguageModelChatMessage): string[] {
  const parts = message.content.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
  return parts.map(({ content }) =>
    content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join(""),
  );
}

function tell(turn: Turn): void {
  const file = process.env.MCP_SIDECAR_TEST_TURNS;
  if (file) appendFileSync(file, `${JSON.stringify(turn)}\n`);
}
