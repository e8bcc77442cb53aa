/** A LineTail keeps those lines of a program's log that may say why it ended. The log comes in pieces. */

/** How many lines are kept, and how much of each (characters). */
const KEPT = 20;
const WIDTH = 1000;
/** A line that goes on for longer than this (characters) is taken to end. */
const LONGEST = 64 << 10;

/** The line with which a Go program begins to say why it crashes. Where its goroutines were comes after it. */
const CRASH = /^(panic|fatal error|SIG(ABRT|BUS|FPE|ILL|QUIT|SEGV|SYS|TRAP)): /;
/** How many lines tellingOf picks. */
const TELLING = 5;

export class LineTail {
  readonly #told: (line: string) => void;
  #lines: string[] = [];
  #open = "";

  /** told gets every line as a whole, as soon as it ends. */
  constructor(told: (line: string) => void = () => {}) {
    this.#told = told;
  }

  write(text: string): void {
    const lines = (this.#open + text).split(/\r?\n/);
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#add(line);
    if (this.#open.length > LONGEST) this.end();
  }

  /** end ends the last line, if it has begun. */
  end(): void {
    if (this.#open !== "") this.#add(this.#open);
    this.#open = "";
  }

  /**
   * lines are the last ones, the oldest first. Blank ones are not kept, and of a crash the beginning, not the
   * end.
   */
  get lines(): readonly string[] {
    return this.#lines;
  }

  #add(line: string): void {
    const full = this.#lines.length === KEPT && CRASH.test(this.#lines[0] ?? "");
    const crash = CRASH.test(line);
    if (line.trim() !== "" && (crash || !full)) {
      const kept = line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line;
      this.#lines = full ? [kept] : [...this.#lines.slice(1 - KEPT), kept];
    }
    this.#told(line);
  }
}

/** tellingOf picks the lines that say why the program ended: those of its crash, or the last ones. */
export function tellingOf(lines: readonly string[]): readonly string[] {
  const crash = lines.findIndex((line) => CRASH.test(line));
  return crash < 0 ? lines.slice(-TELLING) : lines.slice(crash, crash + TELLING);
}
