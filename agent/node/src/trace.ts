/** A traced Transport tells somebody of every message that passes, and is otherwise the one that it was. */
import { undisturbed } from "./emitter.js";
import type { Transport } from "./transport.js";

/**
 * A Trace is told of a message as it passes: what is sent before it is, what is received before anything comes
 * of it. `text` is the whole JSON text, with whatever it holds: arguments and results of tools, values of
 * inputs, keys, the endpoint of the session. Whoever writes it down decides what of that is kept.
 */
export type Trace = (text: string, direction: "sent" | "received") => void;

export function traced(transport: Transport, trace: Trace): Transport {
  return {
    peer: transport.peer,
    listen: (listener) =>
      transport.listen({
        message: (text) => {
          undisturbed(() => trace(text, "received"));
          listener.message(text);
        },
        closed: (reason) => listener.closed(reason),
      }),
    send: (text) => {
      undisturbed(() => trace(text, "sent"));
      transport.send(text);
    },
    hold: (waiting) => transport.hold(waiting),
    close: () => transport.close(),
  };
}
