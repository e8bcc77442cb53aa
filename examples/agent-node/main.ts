/**
 * An agent with the user's MCP tools, in two sessions: one that remembers nothing, and one that does.
 *
 *     npm install && npm start
 *
 * It needs what `make build` and `make run` make and install: the program, and the servers that
 * examples/project names; and the client, built (`npm ci && npm run build` in agent/node).
 *
 *     agent.ts    the loop between a model and its tools: the part to copy
 *     model.ts    the model, here a script
 *     story.ts    how it is told
 *     place.ts    where the program and the servers are
 *     main.ts     the two sessions, and what has to happen in them
 *
 * The server `files` takes two seconds to start. In the cold session the model begins without its tools and
 * has them as soon as they are there, in the middle of the conversation. In the warm one it has them from the
 * beginning, and a call waits for the server.
 *
 * Another example, of an agent that has sub-agents, is in delegate.ts.
 */
import { Sidecar } from "mcp-sidecar";
import { type ChatModel, run } from "./agent.js";
import { BUSY, FILES, named, ScriptedModel, SUM } from "./model.js";
import { inPlace, type Place, SETTINGS } from "./place.js";
import { Story, told } from "./story.js";

const TASK = "What is 17 and 25? And which files does this project have?";

/** session is one conversation, from the start of the sidecar to its end. */
async function session({ binary, project, slow, cache, signal }: Place, story: Story): Promise<string> {
  const sidecar = await Sidecar.spawn({
    cwd: project,
    binary,
    args: ["--cache-dir", cache],
    env: { SLOW_START: slow },
    client: { name: "example-agent", version: "1" },
    // An agent takes tools as they come, so nobody waits for a slow server.
    settings: { ...SETTINGS, startup: { uncached: "background" } },
    listeners: story.listeners,
    signal,
  });
  try {
    story.opens(sidecar);
    // The conversation needs something to begin with, so one server is waited for.
    const names = sidecar.tools.map((tool) => tool.name);
    if (named(names, SUM) === undefined) await sidecar.connect("everything", { signal });
    // With OpenAI's package and a key: new OpenAI()
    const model: ChatModel = new ScriptedModel();
    story.line("->", "user", TASK);
    const answer = await run(model, told(sidecar, story), TASK, { story, signal });
    story.line("<-", "assistant", answer);
    return answer;
  } finally {
    await sidecar.close();
    story.line("", "", `the sidecar, process ${sidecar.pid}, has ended, and every server with it`);
  }
}

/** play has two sessions with one cache, which is empty at first. */
async function play(place: Place): Promise<void> {
  const cold = new Story(`cold: nothing is remembered, and files takes ${place.slow} s to start`);
  expectBoth("cold", await session(place, cold), cold);
  const { requests, outcomes, steps, pushed } = cold;
  expect("cold", !hasFiles(requests[0]), "the first request has no tools of files");
  expect("cold", outcomes.has(BUSY) && steps > 0, "an operation tells how far it is");
  expect("cold", pushed.has("files"), "the tools of files come by push");
  expect("cold", outcomes.get(FILES)?.details.deferred === false, "files is there when it is called");

  const warm = new Story("warm: the lists of tools are remembered, and files is as slow as before");
  expectBoth("warm", await session(place, warm), warm);
  const files = warm.outcomes.get(FILES)?.details;
  expect("warm", hasFiles(warm.requests[0]), "the first request has the tools of files");
  expect("warm", files?.deferred === true && files.waitedMs > 0, "the call of files waits for its server");
  expect("warm", !warm.pushed.has("files"), "nothing is pushed, since nothing has changed");
}

function expectBoth(which: string, answer: string, { outcomes, requests }: Story): void {
  expect(which, /42.*\.mcp\.json/.test(answer), `the model knows both answers, not: ${answer}`);
  expect(which, outcomes.has(SUM), "a sum is made");
  expect(which, hasFiles(requests.at(-1)), "the last request has the tools of files");
}

function hasFiles(names: readonly string[] = []): boolean {
  return named(names, FILES) !== undefined;
}

/** expect ends the example if something did not happen. */
function expect(which: string, happened: boolean, what: string): void {
  if (!happened) throw new Error(`${which} session: it did not happen that ${what}`);
}

await inPlace(play, "2");
