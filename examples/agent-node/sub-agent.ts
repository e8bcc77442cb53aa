/**
 * A sub-agent: a process that delegate.ts starts with a task. It joins the session whose endpoint is in its
 * environment, and does the task with the tools that are there. This is the part to copy.
 */
import { Sidecar } from "mcp-sidecar";
import { type ChatModel, run } from "./agent.js";
import { ScriptedModel } from "./model.js";
import { running, Story, told } from "./story.js";

/** A Report is what a sub-agent tells its parent. */
export interface Report {
  answer: string;
  pid: number;
  /** servers are the processes that it has used. */
  servers: string[];
}

async function main(name = "", task = ""): Promise<void> {
  const story = new Story("", name);
  // By MCP_SIDECAR_ENDPOINT. It is a guest: it calls, and decides nothing.
  const sidecar = await Sidecar.join(undefined, { client: { name, version: "1" } });
  // With the session its task ends, also while the model thinks.
  const abort = new AbortController();
  sidecar.once("closed", (reason) => abort.abort(reason));
  try {
    story.line("<-", "joined", `${sidecar.tools.length} tools are there`);
    // With OpenAI's package and a key: new OpenAI()
    const model: ChatModel = new ScriptedModel();
    const answer = await run(model, told(sidecar, story), task, { story, signal: abort.signal });
    const report: Report = { answer, pid: process.pid, servers: running(sidecar) };
    process.send?.(report);
  } finally {
    await sidecar.close(); // leaves: the servers go on
  }
}

main(...process.argv.slice(2)).catch((error: unknown) => {
  console.error(`sub-agent: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
