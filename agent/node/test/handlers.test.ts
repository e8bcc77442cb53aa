import assert from "node:assert/strict";
import { test } from "node:test";
import { SidecarClient } from "../src/client.js";
import { InvalidArgumentError } from "../src/errors.js";
import type { Handlers } from "../src/handlers.js";
import type { Capabilities } from "../src/protocol.gen.js";
import { MemoryTransport } from "./memory-transport.js";
import { opened } from "./opened.js";

const every: Required<Handlers> = {
  approve: () => ({ a: "allow" }),
  input: () => "value",
  elicit: () => ({ action: "accept", content: { n: 1 } }),
  sample: () => ({ role: "assistant", content: { type: "text", text: "hi" }, model: "m" }),
  openUrl: () => true,
};

const METHODS: { [H in keyof Handlers]-?: string } = {
  approve: "trust/approve",
  input: "input/request",
  elicit: "elicitation/create",
  sample: "sampling/createMessage",
  openUrl: "auth/openUrl",
};

function declared(handlers: Handlers, capabilities?: Capabilities): unknown {
  const transport = new MemoryTransport();
  const client = new SidecarClient(transport, { handlers, capabilities });
  client.initialize({ cwd: "/project" }).catch(() => {});
  const { params } = transport.last;
  transport.die("enough");
  return params.capabilities;
}

/** The answer to a question, with these handlers. */
async function answer(handlers: Handlers, method: string, params: object = {}) {
  const { transport } = await opened([], { handlers });
  transport.say({ id: 5, method, params });
  await new Promise((resolve) => setImmediate(resolve));
  const { id, result, error } = transport.last;
  assert.equal(id, 5);
  return result ?? error;
}

test("a handler that is there declares its capability, and can be refined", () => {
  const { approve, elicit, sample } = every;
  const form = { form: true };
  const cases: [Handlers, Capabilities | undefined, Capabilities][] = [
    [{}, undefined, {}],
    [every, undefined, { approve: true, input: true, elicitation: form, sampling: {}, openUrl: true }],
    [{ elicit }, { elicitation: { form: true, url: true } }, { elicitation: { form: true, url: true } }],
    [{ sample }, { sampling: { tools: true } }, { sampling: { tools: true } }],
    [{ approve }, { approve: false }, { approve: false }],
    [{}, { approve: false }, { approve: false }],
  ];
  for (const [handlers, refined, expected] of cases) {
    assert.deepEqual(declared(handlers, refined), expected);
  }
});

test("a handler whose name is misspelt is an error at once", () => {
  const handlers = { aprove: () => ({}) } as Handlers;
  assert.throws(() => new SidecarClient(new MemoryTransport(), { handlers }), {
    name: "InvalidArgumentError",
    message: /no handler "aprove"; there are approve, input/,
  });
});

test("a capability without its handler is an error at once", () => {
  const cases: [Capabilities, string][] = [
    [{ approve: true }, "approve"],
    [{ elicitation: {} }, "elicit"],
    [{ sampling: {} }, "sample"],
  ];
  for (const [capabilities, handler] of cases) {
    assert.throws(
      () => declared({}, capabilities),
      (error) => error instanceof InvalidArgumentError && error.message.includes(`"${handler}"`),
    );
  }
});

test("answers are given in their natural form, and travel in the wire's", async () => {
  const results: { [H in keyof Handlers]-?: object } = {
    approve: { decisions: { a: "allow" } },
    input: { value: "value" },
    elicit: { result: { action: "accept", content: { n: 1 } } },
    sample: { result: { role: "assistant", content: { type: "text", text: "hi" }, model: "m" } },
    openUrl: { opened: true },
  };
  for (const [handler, method] of Object.entries(METHODS)) {
    assert.deepEqual(await answer(every, method), results[handler as keyof Handlers]);
  }
  assert.deepEqual(await answer({ openUrl: async () => false }, "auth/openUrl"), { opened: false });
  assert.deepEqual(await answer({ input: () => "" }, "input/request"), { value: "" });
});

test("undefined means that nobody can be asked now; from input, that there is no value", async () => {
  for (const [handler, method] of Object.entries(METHODS)) {
    const told = (await answer({ [handler]: () => undefined }, method)) as { code?: number };
    if (handler === "input") assert.deepEqual(told, {});
    else assert.equal(told.code, -32800, handler);
  }
});

test("a handler that throws, or returns what is no answer, is an internal error with its text", async () => {
  const cases: [object, string, string][] = [
    [{ input: () => Promise.reject(new Error("no terminal")) }, "input/request", "no terminal"],
    [{ input: () => 7 }, "input/request", 'handler "input" returned number, not string'],
    [{ approve: () => null }, "trust/approve", 'handler "approve" returned null, not object'],
    [{ openUrl: () => "yes" }, "auth/openUrl", 'handler "openUrl" returned string, not boolean'],
  ];
  for (const [handlers, method, message] of cases) {
    assert.deepEqual(await answer(handlers as Handlers, method), { code: -32603, message });
  }
});

test("what has no handler is not known, like what nobody has heard of", async () => {
  for (const method of ["trust/approve", "future/thing", "toString"]) {
    const { code } = (await answer({ input: () => "" }, method)) as { code: number };
    assert.equal(code, -32601, method);
  }
});

test("a handler gets the question, and a signal that the sidecar's cancel fires", async () => {
  const seen: unknown[] = [];
  const handlers: Handlers = {
    elicit(question, { signal }) {
      seen.push(question);
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ action: "cancel" }));
      });
    },
  };
  const { transport } = await opened([], { handlers });
  const question = { server: "a", call: 3, params: { message: "Who?" } };
  transport.say({ id: 1, method: "elicitation/create", params: question });
  transport.say({ method: "$/cancelRequest", params: { id: 1 } });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, [question]);
  assert.deepEqual(transport.last.result, { result: { action: "cancel" } });
});

test("the end of the session fires the signals of all open questions", async () => {
  const signals: AbortSignal[] = [];
  const handlers: Handlers = {
    input(_, { signal }) {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  const { transport, client } = await opened([], { handlers });
  transport.say({ id: 1, method: "input/request", params: {} });
  const closing = client.close();
  assert.equal(signals[0]?.aborted, true);
  transport.say({ id: 2, method: "input/request", params: {} });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(transport.last.error?.code, -32800, "a host that is closing cannot ask");
  transport.die("gone");
  await closing;
});

test("handlers keep their this", async () => {
  class Asker implements Handlers {
    readonly #value = "mine";
    input() {
      return this.#value;
    }
  }
  assert.deepEqual(await answer(new Asker(), "input/request"), { value: "mine" });
});
