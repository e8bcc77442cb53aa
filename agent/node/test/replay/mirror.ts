// What a host must show after each message that it was sent: a model of its own, made from rpc/PROTOCOL.md
// ("Keeping the tool set") and from nothing that the client under test is made of.

import { isDeepStrictEqual } from "node:util";
import type * as wire from "../../src/protocol.gen.js";

/** One event that the host must tell, in the order of the wire. */
export interface Told {
  readonly event: string;
  readonly payload: unknown;
}

interface Message {
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** The events of the notifications that are passed on as they are. */
const passedOn: Record<string, string> = {
  "runtime/log": "log",
  "resources/changed": "resourcesChanged",
  "resources/updated": "resourceUpdated",
  "prompts/changed": "promptsChanged",
  "elicitation/complete": "elicitationComplete",
};

/** The member of an answer that has the snapshot; "" is the answer itself. */
const snapshots: Record<string, string> = {
  "runtime/initialize": "snapshot",
  "runtime/configure": "snapshot",
  "mcp/reload": "snapshot",
  "tools/snapshot": "",
};

const reasons: Record<string, string> = { "runtime/configure": "configure", "mcp/reload": "reload" };

export class Mirror {
  revision = 0;
  hash = "";
  tools: wire.Tool[] = [];
  servers: wire.Server[] = [];
  errors: wire.Diagnostic[] = [];
  exaApiKeys: string[] = [];
  info: wire.SidecarInfo | undefined = undefined;
  methods: string[] = [];
  /** A push was missed: the host asks for tools/snapshot, once, and is in the gap until that is answered. */
  gap = false;

  /** Takes a notification, and says what the host must tell its program. */
  notified(message: Message): Told[] {
    const method = message.method as string;
    const passed = Object.hasOwn(passedOn, method) ? passedOn[method] : undefined;
    if (passed !== undefined) return [{ event: passed, payload: message.params }];
    switch (method) {
      case "tools/changed":
        return this.push(message.params as wire.ToolsChanged);
      case "mcp/status":
        return this.status(message.params as wire.Server);
      case "config/diagnostics":
        this.errors = (message.params as wire.DiagnosticsParams).errors;
        return [{ event: "diagnostics", payload: this.errors }];
      default:
        return [];
    }
  }

  /** Takes the answer to a request of the host's. */
  answered(method: string, result: unknown): Told[] {
    const member = Object.hasOwn(snapshots, method) ? snapshots[method] : undefined;
    if (member === undefined) return [];
    if (method === "runtime/initialize") {
      const opened = result as wire.InitializeResult;
      this.info = opened.sidecar;
      this.methods = opened.methods;
    }
    const holder = result as Record<string, unknown>;
    const snapshot = (member === "" ? holder : holder[member]) as wire.Snapshot;
    if ((snapshot as { unchanged?: boolean }).unchanged === true) return [];
    return this.snapshot(snapshot, reasons[method] ?? "snapshot");
  }

  private push(push: wire.ToolsChanged): Told[] {
    if (push.revision <= this.revision) return [];
    if (push.previousRevision !== this.revision) {
      this.gap = true;
      return [];
    }
    const replaced = new Set([...push.removed, ...push.added.map(nameOf), ...push.updated.map(nameOf)]);
    const kept = this.tools.filter((tool) => !replaced.has(tool.name));
    this.tools = byName([...kept, ...push.added, ...push.updated]);
    this.revision = push.revision;
    this.hash = push.hash;
    const { added, updated, removed, servers, reason } = push;
    return [this.change({ added, updated, removed, servers, reason })];
  }

  private snapshot(snapshot: wire.Snapshot, reason: string): Told[] {
    if (snapshot.revision < this.revision) return [];
    const before = new Map(this.tools.map((tool) => [tool.name, tool]));
    const names = new Set(snapshot.tools.map(nameOf));
    const added = snapshot.tools.filter((tool) => !before.has(tool.name));
    const updated = snapshot.tools.filter((tool) => differs(before.get(tool.name), tool));
    const removed = this.tools.filter((tool) => !names.has(tool.name));
    const changed = [...added, ...updated, ...removed];
    if (snapshot.revision === this.revision && changed.length > 0) {
      throw new Error(`the dialogue tells two sets of tools under revision ${this.revision}`);
    }
    const first = this.revision === 0;
    this.revision = snapshot.revision;
    this.hash = snapshot.hash;
    this.tools = byName(snapshot.tools);
    this.servers = byName(snapshot.servers);
    this.errors = snapshot.errors;
    this.exaApiKeys = snapshot.exaApiKeys ?? [];
    if (first || changed.length === 0) return [];
    const servers = [...new Set(changed.map((tool) => tool.server))].sort();
    return [this.change({ added, updated, removed: removed.map(nameOf), servers, reason })];
  }

  private change(difference: Record<string, unknown>): Told {
    const { tools, revision, hash } = this;
    return { event: "toolsChanged", payload: { tools, ...difference, revision, hash } };
  }

  private status(server: wire.Server): Told[] {
    const others = this.servers.filter((other) => other.name !== server.name);
    this.servers = byName(server.phase === "removed" ? others : [...others, server]);
    const state = ({ live: "live", cache: "deferred" } as Record<string, wire.ToolState>)[server.tools.from];
    if (state !== undefined) {
      this.tools = this.tools.map((tool) => (tool.server === server.name ? { ...tool, state } : tool));
    }
    return [{ event: "status", payload: server }];
  }
}

/** Whether a tool that was there is another one now. Its state alone makes no difference. */
function differs(before: wire.Tool | undefined, now: wire.Tool): boolean {
  return before !== undefined && !isDeepStrictEqual({ ...before, state: "" }, { ...now, state: "" });
}

function nameOf(named: { readonly name: string }): string {
  return named.name;
}

function byName<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : 1));
}
