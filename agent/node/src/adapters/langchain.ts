/**
 * The tools of a sidecar for LangChain JS.
 *
 * createAgent binds its tools once, and runs no others. So give it the middleware: it puts the tools of the
 * moment into each request to the model, and runs those that are called.
 *
 * ```ts
 * const agent = createAgent({ model, tools: [mine], middleware: [langchainMiddleware(sidecar)] });
 * ```
 *
 * In a loop of your own, bind them before each request: `model.bindTools(langchainTools(sidecar))`, and run a
 * call with langchainTool, which finds the tool of that moment: `await langchainTool(sidecar,
 * call.name).invoke(call)`.
 *
 * What there is to show of a result is the content of the ToolMessage, the whole of it (with
 * `structuredContent` and `_meta`, and how the call went) its artifact, if the sidecar did not refuse the
 * call. A failed one has status "error", and says so, since most classes of models do not pass the status
 * on.
 */
import { type MessageContent, type ToolCall, ToolMessage } from "@langchain/core/messages";
import {
  DynamicStructuredTool,
  type StructuredToolCallInput,
  ToolInputParsingException,
  type ToolReturnType,
  type ToolRunnableConfig,
  type ToolSchemaBase,
} from "@langchain/core/tools";
import type { ToolSource } from "../client.js";
import type { CallOutcome, CallToolResult, Progress, Tool } from "../mcp.js";
import { type Answer, answer, failure } from "./answer.js";
import { fitting, inWords, type Part, partsInWords } from "./content.js";
import { description, isExposed, LONGEST, toolNamed } from "./definition.js";
import { inputSchema } from "./input-schema.js";
import { ownNames, type Renamed } from "./property-names.js";
import { isObject } from "./schema-tree.js";

export interface LangChainOptions {
  /**
   * media shows images and PDFs, in standard content blocks, to models whose class takes these in tool
   * messages: ChatAnthropic does; OpenAI's Chat Completions refuses the request. Default false: they are
   * described in words.
   */
  media?: boolean | undefined;
  /**
   * descriptionLimit is in characters. The default suits OpenAI; other providers take any length (Infinity).
   */
  descriptionLimit?: number | undefined;
  onProgress?: ((tool: string, progress: Progress) => void) | undefined;
  timeoutMs?: number | undefined;
  maxBytes?: number | undefined;
}

/** langchainTools are the tools of the moment. */
export function langchainTools(source: ToolSource, options: LangChainOptions = {}): SidecarTool[] {
  return source.tools.map((tool) => new SidecarTool(source, tool, options));
}

/** langchainTool is the tool of that name, now. One that is gone answers with what is there instead. */
export function langchainTool(source: ToolSource, name: string, options: LangChainOptions = {}): SidecarTool {
  return new SidecarTool(source, toolNamed(source, name), options);
}

// biome-ignore lint/suspicious/noExplicitAny: it is what LangChain says of what tools return, in general.
type Output = any;

/**
 * SidecarTool is a StructuredTool with the server's JSON schema. It follows its definition: LangChain wants
 * the same object for as long as an agent lives.
 */
export class SidecarTool extends DynamicStructuredTool {
  readonly #source: ToolSource;
  readonly #options: LangChainOptions;
  #shown: Shown;

  constructor(source: ToolSource, tool: Tool, options: LangChainOptions = {}) {
    const shown = show(tool, options);
    super({
      name: tool.name,
      description: shown.description,
      schema: shown.schema,
      metadata: shown.metadata,
      responseFormat: "content_and_artifact",
      verboseParsingErrors: true,
      func: (input, _, config?: ToolRunnableConfig) => this.#run(input, config),
    });
    this.#source = source;
    this.#options = options;
    this.#shown = shown;
  }

  /** isOf: is it a tool of this source? */
  isOf(source: ToolSource): boolean {
    return this.#source === source;
  }

  /** refresh takes the definition of the moment, and says whether there is one. */
  refresh(): boolean {
    const tool = this.#source.tools.find(({ name }) => name === this.name);
    if (tool !== undefined && tool.definition !== this.#shown.of) {
      this.#shown = show(tool, this.#options);
      const { description, schema, metadata } = this.#shown;
      Object.assign(this, { description, schema, metadata });
    }
    return tool !== undefined;
  }

  async #run(input: unknown, config: ToolRunnableConfig | undefined) {
    const args = isObject(input) ? ownNames(input, this.#shown.renamed) : input;
    const { onProgress, timeoutMs, maxBytes, media = false } = this.#options;
    const given = await answer(this.#source, this.name, args, {
      signal: config?.signal,
      onProgress: onProgress && ((progress) => onProgress(this.name, progress)),
      timeoutMs,
      maxBytes,
    });
    const id = config?.toolCall?.id;
    const failing = given.result.isError === true && id !== undefined;
    return failing
      ? [failed(this.name, id, given), undefined]
      : [content(given.result, media), outcome(given)];
  }

  /** invoke answers a model's call whose arguments do not fit; a program's own mistake is thrown. */
  override async invoke<
    I extends StructuredToolCallInput<ToolSchemaBase>,
    C extends ToolRunnableConfig | undefined,
  >(input: I, config?: C): Promise<ToolReturnType<I, C, Output>> {
    this.refresh();
    try {
      return await super.invoke(input, config);
    } catch (error) {
      const id =
        (input as Partial<ToolCall>).type === "tool_call" ? (input as ToolCall).id : config?.toolCall?.id;
      if (!(error instanceof ToolInputParsingException) || id === undefined) throw error;
      return failed(this.name, id, failure(error.message)) as ToolReturnType<I, C, Output>;
    }
  }
}

/** Shown is what LangChain is told of a tool, and of which definition that is. */
interface Shown {
  description: string;
  schema: ToolSchemaBase;
  metadata: Record<string, unknown>;
  renamed: Renamed;
  of: Tool["definition"];
}

function show(tool: Tool, { descriptionLimit = LONGEST }: LangChainOptions): Shown {
  const { server, definition: of } = tool;
  const { schema, renamed } = inputSchema(of.inputSchema, "any");
  return {
    description: description(tool, descriptionLimit) ?? "",
    schema: schema as ToolSchemaBase,
    metadata: server === "" ? {} : { mcp: { server, tool: of.name, annotations: of.annotations } },
    renamed,
    of,
  };
}

/** outcome is what the sidecar answered, if it did. */
function outcome({ result, details }: Answer): CallOutcome | undefined {
  return details && { result, details };
}

function failed(name: string, id: string, given: Answer): ToolMessage {
  const text = inWords(partsInWords(given.result));
  const artifact = outcome(given);
  return new ToolMessage({ status: "error", content: text, artifact, tool_call_id: id, name });
}

function content(result: CallToolResult, media: boolean): MessageContent {
  const shown = partsInWords(result);
  const plain = !media || result.isError === true || shown.every((part) => part.type === "text");
  return plain ? inWords(shown) : shown.map((part) => block(fitting(part)));
}

function block(part: Part) {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image", data: part.data, mimeType: part.mimeType };
    case "pdf":
      return {
        type: "file",
        data: part.data,
        mimeType: "application/pdf",
        metadata: { filename: part.name },
      };
  }
}

/** LangChainMiddleware is langchain's AgentMiddleware, as far as it is used. */
export interface LangChainMiddleware {
  name: string;
  wrapModelCall<R extends { tools: unknown[] }, T>(request: R, handler: (request: R) => T): T;
  wrapToolCall<R extends { toolCall: ToolCall; tool: unknown }, T>(request: R, handler: (request: R) => T): T;
}

/**
 * langchainMiddleware gives an agent of createAgent the tools of the moment, at each request to its model.
 * What the agent has in its own `tools` stays, and wins; tools of this source too, until they are gone. It
 * needs langchain 1.2.39, the first to allow it. An agent has one such middleware: the names of two
 * sidecars' tools would clash.
 *
 * The end of the sidecar ends the agent's run. As with any middleware that wraps tool calls, so does an
 * exception of the agent's own tools, which LangChain otherwise tells the model: toolErrorMiddleware restores
 * that.
 */
export function langchainMiddleware(source: ToolSource, options: LangChainOptions = {}): LangChainMiddleware {
  return {
    name: "mcp-sidecar",
    wrapModelCall: (request, handler) =>
      handler({ ...request, tools: withCurrent(request.tools, source, options) }),
    wrapToolCall: (request, handler) => {
      const { name } = request.toolCall;
      if (request.tool !== undefined || !isExposed(name)) return handler(request);
      return handler({ ...request, tool: langchainTool(source, name, options) });
    },
  };
}

/**
 * withCurrent has the agent's own tools, except for those of the source that are gone, and the source's
 * others.
 */
function withCurrent(tools: readonly unknown[], source: ToolSource, options: LangChainOptions): unknown[] {
  const isGone = (tool: unknown) => tool instanceof SidecarTool && tool.isOf(source) && !tool.refresh();
  const own = tools.filter((tool) => !isGone(tool));
  const taken = new Set(own.map((tool) => (isObject(tool) ? tool.name : undefined)));
  return [...own, ...langchainTools(source, options).filter((tool) => !taken.has(tool.name))];
}
