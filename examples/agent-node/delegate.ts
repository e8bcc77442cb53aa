/**
 * An agent that hands its tools to two sub-agents. They are processes of their own, which join its session: no
 * server is started for them.
 *
 *     npm install && npm run delegate
 *
 *     delegate.ts     the agent: `delegate` is the part to copy
 *     sub-agent.ts    a sub-agent: all of it is
 *     agent.ts        the loop between a model and its tools, in which each does its task
 *     model.ts, story.ts, place.ts    as in main.ts
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Sidecar } from "mcp-sidecar";
import { inPlace, type Place, SETTINGS } from "./place.js";
import { running, Story } from "./story.js";
import type { Report } from "./sub-agent.js";

const SUB_AGENT = fileURLToPath(new URL("sub-agent.js", import.meta.url));

/** TASKS by the name of the sub-agent that does it. */
const TASKS = { adder: "What is 17 and 25?", lister: "Which files does this project have?" };

/** delegate has a sub-agent do a task with the tools of this session. This is the part to copy. */
async function delegate(sidecar: Sidecar, [name, task]: [string, string], signal: AbortSignal) {
  // The endpoint is a secret: it goes into the environment of those who may join, and nowhere else.
  const endpoint = await sidecar.share();
  const env = { ...process.env, MCP_SIDECAR_ENDPOINT: endpoint, MCP_SIDECAR: sidecar.binary };
  return new Promise<Report>((resolve, reject) => {
    let report: Report | undefined;
    const agent = fork(SUB_AGENT, [name, task], { env, signal });
    agent.once("message", (message) => {
      report = message as Report;
    });
    agent.once("error", reject);
    agent.once("close", (code) => {
      if (report !== undefined && code === 0) resolve(report);
      else reject(new Error(`the ${name} has failed, with exit code ${code}`));
    });
  });
}

async function play({ binary, project, slow, cache, signal }: Place): Promise<void> {
  const story = new Story("an agent with two sub-agents, all of them with the same servers", "agent");
  const sidecar = await Sidecar.spawn({
    cwd: project,
    binary,
    args: ["--cache-dir", cache],
    env: { SLOW_START: slow },
    client: { name: "example-delegate", version: "1" },
    settings: SETTINGS,
    signal,
  });
  try {
    story.opens(sidecar);
    const servers = running(sidecar);
    const tasks = Object.entries(TASKS);
    for (const [name, task] of tasks) story.line("->", name, task);
    const reports = await Promise.all(tasks.map((task) => delegate(sidecar, task, signal)));
    for (const [i, [name]] of tasks.entries()) story.line("<-", name, reports[i]?.answer ?? "");
    check(reports, [servers, running(sidecar)]);
    story.line("", "for all three", servers.join(", "));
  } finally {
    await sidecar.close();
    story.line("", "", `the sidecar, process ${sidecar.pid}, has ended, and every server with it`);
  }
}

/** check sees whether both answers have come, and every server was started once. */
function check(reports: readonly Report[], own: readonly string[][]): void {
  const [sum = "", files = ""] = reports.map(({ answer }) => answer);
  expect(sum.includes("42"), `one sub-agent knows the sum, and does not say: ${sum}`);
  expect(files.includes(".mcp.json"), `the other knows the files, and does not say: ${files}`);
  const agents = new Set([process.pid, ...reports.map(({ pid }) => pid)]);
  expect(agents.size === 3, "the sub-agents are processes of their own");
  const seen = [...own, ...reports.map(({ servers }) => servers)].map((servers) => servers.join(", "));
  expect(new Set(seen).size === 1, `all have the same servers, from beginning to end: ${seen.join("; ")}`);
  expect(/process \d/.test(seen[0] ?? ""), "there are servers");
}

/** expect ends the example if something did not happen. */
function expect(happened: boolean, what: string): void {
  if (!happened) throw new Error(`it did not happen that ${what}`);
}

await inPlace(play, "0");
