/**
 * Listening to an AbortSignal that many requests share. A program gives one signal to all the calls of a
 * turn, and Node warns of a leak at the eleventh listener: so there is one listener on a signal, whoever
 * waits for it.
 */

import { InvalidArgumentError } from "./errors.js";

interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

/** Signals that somebody waits for. */
const signals = new WeakMap<AbortSignal, Waiting>();

/** checkSignal is for programs without types: it throws at what is no signal, such as its controller. */
export function checkSignal(signal: AbortSignal | undefined): void {
  // Not by its class: a signal of another realm is one as well.
  if (!signal || (typeof signal.aborted === "boolean" && typeof signal.addEventListener === "function"))
    return;
  throw new InvalidArgumentError("signal is no AbortSignal (that of an AbortController is its `signal`)");
}

/** onAbort calls back if the signal aborts, and returns what ends the waiting. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = signals.get(signal) ?? listen(signal);
  const own = () => callback(); // the same function may wait twice
  callbacks.add(own);
  return () => {
    if (!callbacks.delete(own) || callbacks.size > 0) return;
    signals.delete(signal);
    signal.removeEventListener("abort", listener);
  };
}

function listen(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of [...callbacks]) callback();
  };
  const waiting = { callbacks, listener };
  signal.addEventListener("abort", listener, { once: true });
  signals.set(signal, waiting);
  return waiting;
}
