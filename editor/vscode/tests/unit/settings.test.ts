/** Every setting means something to the sidecar, and every wish of the wire can be had, or is left out on purpose. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CacheSettings,
  DiscoverySettings,
  Settings,
  StartupSettings,
  TimeoutSettings,
  TrustSettings,
} from "mcp-sidecar";
import { changeBetween, type Read, type Wishes, wishesOf } from "../../src/settings.js";
import { settings } from "./manifest.js";

/** Settings of the package that something else than wishesOf reads. */
const ELSEWHERE = new Map([["trace.server", "src/log/sidecar_log.ts: the sidecar knows nothing of it"]]);

/** A member of the wire: the setting that says it with a value that is not the default, or why there is none. */
type Reached = { readonly setting: string; readonly value: unknown } | { readonly why: string };
type Each<T> = { readonly [Member in keyof T]-?: Reached };

const group = { why: "its members are below" };
const wire = {
  "": {
    enabled: { why: "mcpSidecar.enabled false starts no sidecar at all" },
    servers: { setting: "servers", value: { a: { command: "b" } } },
    disabled: { why: "the switches of the view" },
    discovery: group,
    startup: group,
    timeouts: group,
    reconnect: { setting: "reconnect", value: "manual" },
    cache: group,
    toolNames: { why: "names are for programs: one form of them is enough in an editor" },
    trust: group,
  } satisfies Each<Settings>,
  discovery: {
    projectConfig: { setting: "discovery.projectConfig", value: false },
    include: { setting: "discovery.include", value: ["claude"] },
    exclude: { setting: "discovery.exclude", value: ["claude"] },
    own: { setting: "excludeEditorServers", value: false },
    ownFiles: { setting: "excludeEditorServers", value: false },
    files: { setting: "discovery.files", value: ["/x"] },
    filterExa: { setting: "discovery.filterExa", value: true },
    watch: { setting: "discovery.watch", value: false },
  } satisfies Each<DiscoverySettings>,
  startup: {
    gateMs: { why: "nobody waits: what comes later is pushed" },
    uncached: { why: "nobody waits: what comes later is pushed" },
  } satisfies Each<StartupSettings>,
  timeouts: {
    connectMs: { setting: "timeouts.connectMs", value: 7 },
    callMs: { setting: "timeouts.callMs", value: 7 },
    callMaxMs: { setting: "timeouts.callMaxMs", value: 7 },
    shutdownMs: { setting: "timeouts.shutdownMs", value: 7 },
  } satisfies Each<TimeoutSettings>,
  cache: {
    enabled: { setting: "cache.enabled", value: false },
    maxAgeDays: { setting: "cache.maxAgeDays", value: 7 },
  } satisfies Each<CacheSettings>,
  trust: { project: { setting: "trust.project", value: "allow" } } satisfies Each<TrustSettings>,
};

const HERE = { off: [], folder: true, editorFiles: ["/user/mcp.json"] };

/** wishes are those of somebody who has set these, and else has the defaults of the package. */
function wishes(set: Readonly<Record<string, unknown>> = {}, reads: string[] = [], folder = true): Wishes {
  const read: Read = <T>(name: string) => {
    reads.push(name);
    return (name in set ? set[name] : settings.get(name)?.default) as T | undefined;
  };
  return wishesOf(read, { ...HERE, folder });
}

/** memberOf is what the wishes say of a member. A list of "" is that of the Settings themselves. */
function memberOf({ settings }: Wishes, list: string, member: string): unknown {
  const whole = (list === "" ? settings : settings[list as keyof Settings]) as Record<string, unknown>;
  return whole[member];
}

test("every setting is read, and every one that is read is there", () => {
  const reads: string[] = [];
  wishes({}, reads);
  const known = [...settings.keys()].filter((name) => !ELSEWHERE.has(name));
  assert.deepEqual([...new Set(reads)].sort(), known.sort());
  for (const name of ELSEWHERE.keys()) assert.ok(settings.has(name), `there is no setting ${name}`);
});

test("the defaults of the package are those of the code", () => {
  assert.deepEqual(
    wishes(),
    wishesOf(() => undefined, HERE),
  );
});

for (const [list, members] of Object.entries(wire)) {
  for (const [member, reached] of Object.entries(members) as [string, Reached][]) {
    if (!("setting" in reached)) continue;
    const { setting, value } = reached;
    test(`${setting} changes ${[...(list ? [list] : []), member].join(".")}, live`, () => {
      const before = wishes();
      const after = wishes({ [setting]: value });
      assert.notDeepEqual(memberOf(after, list, member), memberOf(before, list, member));
      assert.equal(changeBetween(before, after), "configure");
    });
  }
}

test("another program needs a restart, and the agent's wishes change nothing of the sidecar", () => {
  const before = wishes();
  for (const set of [
    { enabled: false },
    { path: "/x" },
    { args: ["--x"] },
    { env: { A: "1" } },
    { env: { A: null } },
  ]) {
    assert.equal(changeBetween(before, wishes(set)), "restart", JSON.stringify(set));
  }
  for (const set of [{ "agent.enabled": false }, { "agent.only": ["a"] }, { "agent.callTool": "never" }]) {
    assert.equal(changeBetween(before, wishes(set)), "nothing", JSON.stringify(set));
  }
  assert.equal(changeBetween(before, wishes()), "nothing");
});

test("null takes a variable out of the environment", () => {
  const { env } = wishes({ env: { A: "1", B: null } }).program;
  assert.deepEqual(env, { A: "1", B: undefined });
  assert.ok("B" in env);
});

test("a value of another kind than the setting's is none, where the extension works with it", () => {
  const odd = wishes({
    path: 5,
    args: "--log-file",
    env: { A: "1", B: 2, C: null },
    "discovery.include": true,
    "discovery.exclude": ["claude", 7],
    "agent.only": { a: 1 },
  });
  assert.deepEqual(odd.program, { path: "", args: [], env: { A: "1", C: undefined } });
  assert.equal(odd.settings.discovery?.include, undefined);
  assert.deepEqual(odd.settings.discovery?.exclude, ["claude"]);
  assert.deepEqual(odd.agent.only, []);
  for (const env of ["A=1", ["A"], null, 3]) assert.doesNotThrow(() => wishes({ env }));
});

test("without a folder no directory is a project", () => {
  assert.equal(wishes({}, [], false).settings.discovery?.projectConfig, false);
  assert.equal(wishes({}, [], true).settings.discovery?.projectConfig, true);
});

test("what is switched off is told", () => {
  assert.deepEqual(wishesOf(() => undefined, { ...HERE, off: ["a", "b/c"] }).settings.disabled, ["a", "b/c"]);
});
