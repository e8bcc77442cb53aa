/** A LineTail keeps the last lines of a text that comes in pieces. */

/** How many lines are kept, and how much of each (characters). */
const KEPT = 20;
const WIDTH = 1000;
/** A line that goes on for longer than this (characters) is taken to end. */
const LONGEST = 64 << 10;

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

  /** lines are the last ones, the oldest first. Blank ones are not kept. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  #add(line: string): void {
    if (line.trim() !== "") {
      const kept = line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line;
      this.#lines = [...this.#lines.slice(1 - KEPT), kept];
    }
    this.#told(line);
  }
}
