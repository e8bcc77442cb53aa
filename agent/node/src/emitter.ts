/**
 * An Emitter tells events to listeners, in the order in which they subscribed. A listener that throws
 * disturbs nobody: what it threw is thrown again where a program's stray errors go ("uncaughtException" in
 * Node).
 */
import { InvalidArgumentError } from "./errors.js";

type Listener<T> = (event: T) => void;

interface Subscription {
  readonly listener: Listener<never>;
  readonly once: boolean;
}

/** Emitter of events by name. E maps the names to what listeners get. */
export class Emitter<E extends object> {
  readonly #subscriptions = new Map<keyof E, Set<Subscription>>();

  /** on subscribes, and returns what ends the subscription. */
  on<K extends keyof E>(name: K, listener: Listener<E[K]>): () => void {
    return this.#subscribe(name, { listener, once: false });
  }

  /** once subscribes for one event. */
  once<K extends keyof E>(name: K, listener: Listener<E[K]>): () => void {
    return this.#subscribe(name, { listener, once: true });
  }

  /** off ends every subscription of this listener. */
  off<K extends keyof E>(name: K, listener: Listener<E[K]>): void {
    const all = this.#subscriptions.get(name);
    for (const subscription of all ?? []) {
      if (subscription.listener === listener) all?.delete(subscription);
    }
  }

  /** emit tells those who are subscribed now, and not those whose subscription ends meanwhile. */
  emit<K extends keyof E>(name: K, event: E[K]): void {
    const all = this.#subscriptions.get(name) ?? new Set();
    for (const subscription of [...all]) {
      if (!all.has(subscription)) continue;
      if (subscription.once) all.delete(subscription);
      undisturbed(() => (subscription.listener as Listener<E[K]>)(event));
    }
  }

  #subscribe(name: keyof E, subscription: Subscription): () => void {
    if (typeof subscription.listener !== "function") {
      throw new InvalidArgumentError(`the listener of ${String(name)} is no function`);
    }
    const all = this.#subscriptions.get(name) ?? new Set();
    this.#subscriptions.set(name, all.add(subscription));
    return () => {
      all.delete(subscription);
    };
  }
}

/** undisturbed runs somebody else's function; what that throws surfaces outside of whoever called this. */
export function undisturbed(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
