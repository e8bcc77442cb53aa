/**
 * Listening to an AbortSignal that many requests share. A program gives one signal to all the calls of a
 * turn, and Node warns of a leak at the eleventh listener: so there is one listener on a signal, whoever
 * waits for it.
 */

interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

/** Signals that somebody waits for. */
const signals = new WeakMap<AbortSignal, Waiting>();

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
  signals.set(signal, waiting);
  signal.addEventListener("abort", listener, { once: true });
  return waiting;
}
