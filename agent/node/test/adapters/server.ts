/**
 * An MCP server on stdio for these tests. Its tools:
 *
 *     give {result}         answers with that result, whatever it is
 *     raw {…}               answers with the line it got, byte for byte
 *     work {steps}          reports progress, step by step, and answers "worked"
 *     hang                  reports progress once and does not answer
 *     free                  answers those that hang
 *     relist {hide?, show?} takes tools out of its list, or puts them back, and says that the list changed
 *     redefine {name, …}    changes the definition of a tool, and says that the list changed
 *     meet {of}             answers when so many calls of it are waiting
 *     die                   ends the process
 *
 * `TOOLS` in the environment is a JSON list of further definitions, which answer with their arguments. `HIDE`
 * is a JSON list of names that are not listed at first. `GATE` is a port on this machine: the server connects
 * to it, and reads nothing before it was sent a byte there.
 */
import { connect } from "node:net";
import { createInterface } from "node:readline";

type Json = Record<string, unknown>;

const env = process.env;
const further = JSON.parse(env.TOOLS ?? "[]") as Json[];
const own = ["give", "raw", "work", "hang", "free", "relist", "redefine", "meet", "die"].map((name): Json => {
  return { name, description: `The tool ${name}.`, inputSchema: { type: "object", properties: {} } };
});
const hidden = new Set(JSON.parse(env.HIDE ?? "[]") as string[]);
const redefined = new Map<unknown, Json>(); // by name
const waiting = new Set<unknown>(); // ids of hanging calls
const meeting = new Set<unknown>(); // ids of calls of meet

function send(message: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function say(id: unknown, text: string): void {
  send({ id, result: { content: [{ type: "text", text }] } });
}

function progress(params: Json, step: number, total: number): void {
  const token = (params._meta as Json | undefined)?.progressToken;
  const message = `step ${step}`;
  send({
    method: "notifications/progress",
    params: { progressToken: token, progress: step, total, message },
  });
}

function call(id: unknown, params: Json, line: string): void {
  const args = (params.arguments ?? {}) as Json;
  switch (params.name) {
    case "give":
      send({ id, result: args.result });
      break;
    case "raw":
      say(id, line);
      break;
    case "work":
      for (let step = 1; step <= Number(args.steps); step++) progress(params, step, Number(args.steps));
      say(id, "worked");
      break;
    case "hang":
      waiting.add(id);
      progress(params, 1, 2);
      break;
    case "free":
      for (const hanging of waiting) say(hanging, "freed");
      waiting.clear();
      say(id, "done");
      break;
    case "relist":
      for (const name of [args.hide].flat()) hidden.add(String(name));
      for (const name of [args.show].flat()) hidden.delete(String(name));
      say(id, "relisted");
      send({ method: "notifications/tools/list_changed" });
      break;
    case "redefine":
      redefined.set(args.name, args);
      say(id, "redefined");
      send({ method: "notifications/tools/list_changed" });
      break;
    case "meet":
      meeting.add(id);
      if (meeting.size < Number(args.of)) break;
      for (const met of meeting) say(met, "met");
      meeting.clear();
      break;
    case "die":
      process.exit(3);
      break;
    default:
      say(id, JSON.stringify(args));
  }
}

function list(): Json[] {
  const shown = [...own, ...further].filter(({ name }) => !hidden.has(String(name)));
  return shown.map((definition) => ({ ...definition, ...redefined.get(definition.name) }));
}

function initialize(id: unknown, { protocolVersion }: Json): void {
  const capabilities = { tools: { listChanged: true } };
  send({ id, result: { protocolVersion, capabilities, serverInfo: { name: "test", version: "1" } } });
}

function take(line: string): void {
  const { id, method, params = {} } = JSON.parse(line) as { id?: unknown; method?: string; params?: Json };
  switch (method) {
    case "initialize":
      initialize(id, params);
      break;
    case "tools/list":
      send({ id, result: { tools: list() } });
      break;
    case "tools/call":
      call(id, params, line);
      break;
    case "notifications/cancelled":
      waiting.delete(params.requestId);
      break;
    default:
      if (id !== undefined && method !== undefined)
        send({ id, error: { code: -32601, message: "not here" } });
  }
}

function serve(): void {
  createInterface({ input: process.stdin })
    .on("line", take)
    .on("close", () => process.exit(0));
}

if (env.GATE === undefined) {
  serve();
} else {
  const gate = connect(Number(env.GATE), "127.0.0.1");
  gate.once("data", serve);
  gate.on("error", () => process.exit(4)).on("close", () => process.exit(0));
}
