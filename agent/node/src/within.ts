/** Waiting for something, but not for ever. */

/** The longest time that a timer knows. Above it, it does not wait at all. */
const LONGEST_MS = 2 ** 31 - 1;

/** within tells whether it happened in so many milliseconds. The program is kept alive for so long. */
export async function within(happened: Promise<void>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST_MS), false);
  });
  const inTime = await Promise.race([happened.then(() => true), late]);
  clearTimeout(timer);
  return inTime;
}
