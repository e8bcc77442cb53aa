/**
 * A countdown is a bound on how long somebody else may take. It does not count the time in which this
 * program was busy: a blocked event loop reads nothing, so what would have ended the waiting may be there.
 */

/** A bound is waited for in so many parts. However long the loop is blocked, it costs one of them. */
const PARTS = 10;

/** countdown calls back after so many milliseconds, and returns what ends it. It keeps no program alive. */
export function countdown(ms: number, callback: () => void): () => void {
  let left = PARTS;
  const timer = setInterval(() => {
    if (--left !== 0) return;
    clearInterval(timer);
    callback();
  }, ms / PARTS);
  timer.unref();
  return () => clearInterval(timer);
}
