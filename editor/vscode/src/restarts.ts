/** When a sidecar that ended by itself is started again. Pure. */

/** How often it is started again within WINDOW_MS. */
export const LIMIT = 3;
export const WINDOW_MS = 180_000;
/** The pause before the first restart in a window. It doubles from one to the next. */
const FIRST_MS = 250;

export interface Decision {
  /** delayMs is the pause before the restart; undefined: not any more. */
  readonly delayMs: number | undefined;
  /** ends are those that still count, the oldest first. */
  readonly ends: readonly number[];
}

/** decide is asked at every end, with the times of the former ones in milliseconds, the oldest first. */
export function decide(ends: readonly number[], now: number): Decision {
  const recent = [...ends.filter((time) => now - time < WINDOW_MS), now];
  return {
    delayMs: recent.length > LIMIT ? undefined : FIRST_MS * 2 ** (recent.length - 1),
    ends: recent,
  };
}
