/**
 * What other extensions get from this one: McpSidecarApi. This file can be copied into an extension that uses it;
 * it needs nothing but the types of VS Code.
 *
 *     const extension = vscode.extensions.getExtension<McpSidecarApi>("mcp-sidecar.mcp-sidecar");
 *     const mcp = await extension?.activate();
 *     if (mcp?.version === 1) {
 *       await mcp.ready();
 *       const { result } = await mcp.call("mcp_files_read", { path: "README.md" });
 *     }
 *
 * Version 1 keeps its members and what they mean; more may come, of the values, too. A change that breaks users
 * has another number. Values are frozen, whole, and never changed: what is new is another value.
 */
import type { CancellationToken, Event } from "vscode";

export interface McpSidecarApi {
  readonly version: 1;
  /** state is that of the sidecar, not of the servers: "off" in restricted mode, and by the user's settings. */
  readonly state: McpSidecarState;
  readonly onDidChangeState: Event<McpSidecarState>;
  /** tools are all that can be called now, sorted by name; none unless the state is "running". */
  readonly tools: readonly McpTool[];
  /** onDidChangeTools: the array is another one. So it is also if only the `state` of a tool has changed. */
  readonly onDidChangeTools: Event<readonly McpTool[]>;
  /** servers are all that are configured, in whatever phase, sorted by name. */
  readonly servers: readonly McpServer[];
  readonly onDidChangeServers: Event<readonly McpServer[]>;
  /**
   * ready resolves when the state is "running": the tools that are known by then are there, others may come. It
   * waits while the sidecar starts, and rejects with why if none does.
   */
  ready(): Promise<void>;
  /**
   * call runs a tool, by its name in `tools`, or by server and the server's own name of it. Nobody is asked: the
   * extension that calls answers for it. A tool that fails is a result with isError; the promise rejects if no
   * such tool is there, if the call is cancelled, or if the sidecar is gone. `args` may be JSON text.
   */
  call(
    tool: string | { readonly server: string; readonly tool: string },
    args?: object | string,
    options?: McpCallOptions,
  ): Promise<McpCallOutcome>;
  /** search gives the tools that fit the words best, by name and description, the best first. */
  search(query: string, options?: { readonly limit?: number }): Promise<readonly McpTool[]>;
}

export type McpSidecarState = "off" | "starting" | "running" | "failed";

export interface McpCallOptions {
  /** token cancels the call, also at the server. */
  readonly token?: CancellationToken;
  readonly onProgress?: (progress: McpProgress) => void;
}

export interface McpProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface McpTool {
  /** name is unique among all servers, and fit for a model: [a-zA-Z0-9_-], at most 64 characters. */
  readonly name: string;
  readonly server: string;
  /** state "deferred": its server is not connected; a call waits for it. */
  readonly state: "live" | "deferred";
  /** definition is the server's own (MCP: Tool). Servers leave things out: expect nothing but the name. */
  readonly definition: {
    readonly name: string;
    readonly title?: string | null;
    readonly description?: string | null;
    readonly inputSchema?: unknown;
    readonly outputSchema?: unknown;
    readonly annotations?: { readonly [hint: string]: unknown } | null;
    readonly [member: string]: unknown;
  };
}

export interface McpServer {
  readonly name: string;
  readonly status: "connected" | "connecting" | "disconnected";
  /** phase is the detail of the status: "ready", "starting", "failed", "untrusted"… More may come. */
  readonly phase: string;
  readonly instructions?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** source is the file that has its entry; an empty path: the user's settings. */
  readonly source: { readonly providerName: string; readonly path: string; readonly line?: number };
}

export interface McpCallOutcome {
  /** result is the server's own (MCP: CallToolResult). */
  readonly result: {
    readonly content?: readonly { readonly type: string; readonly [member: string]: unknown }[];
    readonly structuredContent?: unknown;
    readonly isError?: boolean;
    readonly [member: string]: unknown;
  };
  readonly details: { readonly server: string; readonly tool: string; readonly durationMs: number };
}
