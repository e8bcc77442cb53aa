/** How long a test waits for what is sure to come. */

/** In milliseconds. It bounds a failing test, and nothing else. */
export const PATIENCE = 30_000;

/**
 * until waits until `holds` gives something that is true, and gives that. What is waited for is said in the words
 * of a failure.
 */
export async function until<T>(
  what: string | (() => string),
  holds: () => T | Promise<T>,
  patience = PATIENCE,
): Promise<NonNullable<T>> {
  for (const deadline = Date.now() + patience; ; await pause()) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > deadline) {
      throw new Error(`waited ${patience / 1000} s in vain: ${typeof what === "string" ? what : what()}`);
    }
  }
}

/** within is the promise, with a bound. */
export async function within<T>(what: string, promise: Promise<T>, patience = PATIENCE): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${patience / 1000} s in vain: ${what}`)), patience);
  });
  try {
    return await Promise.race([promise, bound]);
  } finally {
    clearTimeout(timer);
  }
}

/** pause is between two looks at something that does not say when it changes. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}
