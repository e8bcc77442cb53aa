/** What a program throws where nobody catches it. */
import type { TestContext } from "./test-context.js";

/**
 * strayError waits for one error that nobody catches. The test runner's own listeners, to which it would be a
 * failure, are put aside meanwhile.
 */
export function strayError(t: TestContext): Promise<unknown> {
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  t.after(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of others) process.on("uncaughtException", listener);
  });
  return new Promise((resolve) => process.once("uncaughtException", resolve));
}
