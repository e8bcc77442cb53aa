/** What the files of a project name is started when the handler `approve` says so, and not before. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ResponseError } from "../src/errors.js";
import type { Handlers } from "../src/handlers.js";
import {
  type ApproveParams,
  type Decision,
  ErrorCode,
  type ProjectServer,
  type ServerConfig,
} from "../src/protocol.gen.js";
import type { Sidecar } from "../src/sidecar.js";
import type { TestContext } from "./test-context.js";
import { until, World } from "./world.js";

/** A Project is a world whose project names servers. Each writes a line whenever it is started. */
class Project {
  readonly world: World;

  private constructor(world: World) {
    this.world = world;
  }

  static async open(test: TestContext): Promise<Project> {
    return new Project(await World.open(test));
  }

  get file(): string {
    return join(this.world.project, ".mcp.json");
  }

  /** names has the project's file name these servers alone, by their arguments. Each has a tool "x". */
  names(servers: Record<string, string[]>): void {
    const entries = Object.entries(servers).map(([name, args]) => [name, this.#entry(name, args)]);
    writeFileSync(this.file, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  }

  #entry(name: string, args: string[]): ServerConfig {
    const { command, args: [script] = [] } = this.world.fake(name, "tool x\n");
    const text = `#!/bin/sh\necho >> '${this.#trace(name)}'\nexec '${command}' '${script}'\n`;
    return { command: this.world.script(`start-${name}`, text), args, env: { KEY: "$" + "{SOME_KEY}" } };
  }

  /** started is how often a server was started. */
  started(name: string): number {
    const trace = this.#trace(name);
    return existsSync(trace) ? readFileSync(trace, "utf8").length : 0;
  }

  #trace(name: string): string {
    return join(this.world.dir, `trace-${name}`);
  }

  /** sidecar is one that has a server of its host's beside those of the project. */
  sidecar(handlers: Handlers): Promise<Sidecar> {
    return this.world.sidecar({ own: "tool x\n" }, { handlers });
  }
}

/** A User decides by the names of servers, and remembers what was asked. */
class User {
  readonly questions: ApproveParams[] = [];
  readonly #decisions: Record<string, Decision>;
  readonly #asked: (() => void)[] = [];

  constructor(decisions: Record<string, Decision> = {}) {
    this.#decisions = decisions;
  }

  readonly approve = (question: ApproveParams): Record<string, Decision> => {
    this.questions.push(question);
    for (const go of this.#asked.splice(0)) go();
    return this.#decisions;
  };

  /** about are the servers of each question so far, of which there are so many at least. */
  async about(questions: number): Promise<string[][]> {
    while (this.questions.length < questions) {
      await new Promise<void>((resolve) => this.#asked.push(resolve));
    }
    return this.questions.map(({ servers }) => servers.map(({ name }) => name));
  }
}

const DECISIONS: Record<string, Decision> = { yes: "allow", no: "deny", perhaps: "later" };

function phases({ servers }: Sidecar): string[] {
  return servers.map(({ name, phase }) => `${name} ${phase}`);
}

function tools({ tools: all }: Sidecar): string[] {
  return all.map(({ name }) => name);
}

/** decided waits until DECISIONS are carried out. */
function decided(sidecar: Sidecar): Promise<void> {
  return until(sidecar, () => tools(sidecar).includes("mcp_yes_x"));
}

function refusedAsUntrusted(error: unknown): boolean {
  return error instanceof ResponseError && error.code === ErrorCode.Untrusted;
}

test("one question is about all servers, and shows what they are before anything of them runs", async (t) => {
  const project = await Project.open(t);
  project.names({ a: ["--flag"], b: [] });
  const user = new User();
  await project.sidecar(user);
  await user.about(1);
  const shown = user.questions[0]?.servers;
  const { hash, command, providerName, ...a } = shown?.[0] ?? ({} as ProjectServer);
  assert.deepEqual(a, {
    name: "a",
    path: project.file,
    project: project.world.project,
    line: 1,
    column: 20,
    provider: "claude",
    args: ["--flag"],
    env: { KEY: "$" + "{SOME_KEY}" },
    uses: ["$" + "{SOME_KEY}"],
  });
  assert.match(command ?? "", /start-a$/);
  assert.ok(hash && providerName);
  assert.deepEqual([shown?.length, project.started("a"), project.started("b")], [2, 0, 0]);
});

test("what is allowed comes, what is denied goes, and what is put off waits and is not started", async (t) => {
  const project = await Project.open(t);
  project.names({ yes: [], no: [], perhaps: [] });
  const user = new User(DECISIONS);
  const sidecar = await project.sidecar(user);
  await decided(sidecar);
  assert.deepEqual(phases(sidecar), ["own ready", "perhaps untrusted", "yes ready"]);
  assert.deepEqual(tools(sidecar), ["mcp_own_x", "mcp_yes_x"]);
  assert.equal((await sidecar.call("mcp_yes_x")).result.isError, undefined);
  await assert.rejects(sidecar.connect("perhaps"), refusedAsUntrusted);
  await assert.rejects(sidecar.call({ server: "perhaps", tool: "x" }), refusedAsUntrusted);
  assert.match(sidecar.servers[1]?.error?.hint ?? "", /mcp-sidecar trust allow perhaps/);
  assert.deepEqual(await user.about(1), [["no", "perhaps", "yes"]]);
  await sidecar.close();
  assert.deepEqual(
    ["yes", "no", "perhaps"].map((name) => project.started(name)),
    [1, 0, 0],
  );
});

test("what was put off is asked about again by a full reload, and by no other", async (t) => {
  const project = await Project.open(t);
  project.names({ yes: [], no: [], perhaps: [] });
  const user = new User(DECISIONS);
  const sidecar = await project.sidecar(user);
  await decided(sidecar);
  await sidecar.reload("changed");
  assert.equal(user.questions.length, 1);
  await sidecar.reload();
  assert.deepEqual((await user.about(2))[1], ["perhaps"]);
});

test("a decision holds for later sessions, until the entry is another one", async (t) => {
  const project = await Project.open(t);
  project.names({ yes: [], no: [], perhaps: [] });
  const first = await project.sidecar(new User(DECISIONS));
  await decided(first);
  await first.close();

  const user = new User();
  const second = await project.sidecar(user);
  assert.deepEqual(tools(second), ["mcp_own_x", "mcp_yes_x"]);
  assert.deepEqual(await user.about(1), [["perhaps"]]);
  project.names({ yes: ["more"], no: ["more"], perhaps: [] });
  assert.deepEqual((await user.about(2))[1], ["no", "yes"]);
  await until(second, () => !tools(second).includes("mcp_yes_x"));
  assert.deepEqual(phases(second), ["no untrusted", "own ready", "perhaps untrusted", "yes untrusted"]);
  await second.close();
  assert.deepEqual(
    ["yes", "no", "perhaps"].map((name) => project.started(name)),
    [2, 0, 0],
  );
});

test("the host decides by itself, too, about what trust/list has", async (t) => {
  const project = await Project.open(t);
  project.names({ a: [] });
  const sidecar = await project.sidecar(new User());
  const list = async () => (await sidecar.request("trust/list", {})).servers;
  const [a] = await list();
  assert.deepEqual([a?.name, a?.decision], ["a", undefined]);
  const named = { server: "a", hash: a?.hash ?? "" };
  await sidecar.request("trust/allow", named);
  await until(sidecar, () => tools(sidecar).includes("mcp_a_x"));
  assert.equal((await list())[0]?.decision, "allow");
  await sidecar.request("trust/revoke", named);
  assert.deepEqual([phases(sidecar), tools(sidecar)], [["a untrusted", "own ready"], ["mcp_own_x"]]);
  await sidecar.request("trust/deny", named);
  assert.deepEqual(phases(sidecar), ["own ready"]);
});

test("a handler that never answers holds up nothing, and learns of the end", async (t) => {
  const project = await Project.open(t);
  project.names({ a: [] });
  let learn = (_: AbortSignal) => {};
  const asked = new Promise<AbortSignal>((resolve) => {
    learn = resolve;
  });
  const sidecar = await project.sidecar({
    approve(_, { signal }) {
      learn(signal);
      return new Promise(() => {});
    },
  });
  const signal = await asked;
  assert.equal((await sidecar.call("mcp_own_x")).result.isError, undefined);
  assert.deepEqual((await sidecar.wait()).connected, ["own"]);
  assert.deepEqual(
    (await sidecar.reload("changed")).tools.map(({ name }) => name),
    ["mcp_own_x"],
  );
  assert.equal(signal.aborted, false);
  await sidecar.close();
  assert.equal(signal.aborted, true);
  assert.equal(project.started("a"), 0);
});

test("a server that a file has got meanwhile is asked about, and no more when it has left again", async (t) => {
  const project = await Project.open(t);
  const user = new User(DECISIONS);
  let withdrawn = () => {};
  const gone = new Promise<void>((resolve) => {
    withdrawn = resolve;
  });
  const approve: Handlers["approve"] = (question, { signal }) => {
    const decisions = user.approve(question);
    if (question.servers[0]?.name !== "open") return decisions;
    return new Promise(() => signal.addEventListener("abort", withdrawn));
  };
  const sidecar = await project.sidecar({ approve });
  assert.deepEqual(phases(sidecar), ["own ready"]);
  project.names({ yes: [] });
  await decided(sidecar);
  project.names({ yes: [], open: [] });
  assert.deepEqual(await user.about(2), [["yes"], ["open"]]);
  unlinkSync(project.file);
  await gone;
  await until(sidecar, () => phases(sidecar).join() === "own ready");
  assert.deepEqual([project.started("yes"), project.started("open")], [1, 0]);
});
