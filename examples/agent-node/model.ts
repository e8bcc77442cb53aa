/**
 * A model that follows a script in place of `new OpenAI()`: there is no key, no network, no package to have.
 *
 * It decides by what it is given, as a model does: the tools of the request and the conversation so far. The
 * user may ask it for a sum and the files of the project. What it has a tool for it does at once; while one is
 * missing it keeps itself busy with something that takes long.
 */
import type { AssistantMessage, ChatCompletion, ChatModel, ChatRequest, Message, ToolCall } from "./agent.js";

export const SUM = "get-sum";
export const FILES = "list_directory";
export const BUSY = "trigger-long-running-operation";

const ARGUMENTS: Record<string, object> = {
  [SUM]: { a: 17, b: 25 },
  [FILES]: { path: "." },
  [BUSY]: { duration: 3, steps: 6 },
};

/** TASKS are the words of the user by which a tool is needed. */
const TASKS: Record<string, RegExp> = { [SUM]: /what is \d+ and \d+/i, [FILES]: /which files/i };

/** PATIENCE is how often it keeps itself busy until it gives up. */
const PATIENCE = 5;

export class ScriptedModel implements ChatModel {
  readonly chat = { completions: { create: async (request: ChatRequest) => this.#complete(request) } };
  #calls = 0;

  #complete({ messages, tools = [] }: ChatRequest): ChatCompletion {
    const names = tools.map((tool) => tool.function.name);
    const results = resultsSoFar(messages);
    const needed = neededFor(messages[0]?.content);
    const calls = nextCalls(names, needed, results);
    const message: AssistantMessage = { role: "assistant", content: null };
    if (calls.length === 0) message.content = lastWord(needed, results);
    else message.tool_calls = calls.map((tool) => this.#call(names, tool));
    return { choices: [{ message }] };
  }

  #call(names: readonly string[], tool: string): ToolCall {
    const call = { name: named(names, tool) ?? tool, arguments: JSON.stringify(ARGUMENTS[tool]) };
    return { id: `call_${++this.#calls}`, type: "function", function: call };
  }
}

/** Results are what the tools have answered in this conversation, by their servers' names for them. */
type Results = ReadonlyMap<string, readonly string[]>;

/** neededFor are the tools that a task needs. */
function neededFor(task: unknown): string[] {
  return Object.keys(TASKS).filter((tool) => TASKS[tool]?.test(String(task)));
}

/** nextCalls are the tools to call now: all that help, at the same time. */
function nextCalls(names: readonly string[], needed: readonly string[], results: Results): string[] {
  const missing = needed.filter((tool) => !results.has(tool));
  const possible = missing.filter((tool) => named(names, tool) !== undefined);
  const idle = missing.length > 0 && possible.length === 0 && named(names, BUSY) !== undefined;
  return idle && (results.get(BUSY)?.length ?? 0) < PATIENCE ? [BUSY] : possible;
}

function resultsSoFar(messages: readonly Message[]): Results {
  const called = new Map<string, string>();
  const results = new Map<string, string[]>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of message.tool_calls ?? []) {
        if (call.type === "function") called.set(call.id, call.function.name);
      }
    } else if (message.role === "tool") {
      const name = called.get(message.tool_call_id) ?? "";
      const tool = Object.keys(ARGUMENTS).find((one) => named([name], one) !== undefined) ?? name;
      results.set(tool, [...(results.get(tool) ?? []), message.content]);
    }
  }
  return results;
}

/** lastWord is what to tell the user at the end. */
function lastWord(needed: readonly string[], results: Results): string {
  const answers = needed.flatMap(
    (tool) =>
      results
        .get(tool)
        ?.slice(0, 1)
        .map(IN_WORDS[tool] ?? String) ?? [],
  );
  return answers.length < needed.length ? "I have no tool for this." : answers.join(" ");
}

/** IN_WORDS says what a tool has answered, if that is not a sentence. */
const IN_WORDS: Record<string, (text: string) => string> = {
  [FILES]: (listing) => {
    const files = listing.split("\n").map((line) => line.replace(/^\[\w+\] /, ""));
    return `The project has ${files.join(", ")}.`;
  },
};

/** named is the name under which a server's tool is offered, whatever its server is called. */
export function named(names: readonly string[], tool: string): string | undefined {
  return names.find((name) => name.endsWith(`_${tool}`));
}
