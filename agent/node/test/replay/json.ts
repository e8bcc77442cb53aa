// JSON whose values keep the text they were written in: a pattern may ask for exact bytes, and numbers are
// compared as they are written, not as doubles.

export type Kind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** One value. Members and elements are empty unless the kind has them; of equal names the last one counts. */
export interface Json {
  readonly kind: Kind;
  readonly text: string;
  readonly members: ReadonlyMap<string, Json>;
  readonly elements: readonly Json[];
}

const noMembers: ReadonlyMap<string, Json> = new Map();

/** Reads one value with nothing but white space around it. */
export function readJson(text: string): Json {
  // The scanner below sees only text that is known to be JSON.
  JSON.parse(text);
  return new Scanner(text).value();
}

class Scanner {
  private at = 0;

  constructor(private readonly text: string) {}

  value(): Json {
    this.space();
    const start = this.at;
    const first = this.text[start];
    if (first === "{") return this.object(start);
    if (first === "[") return this.array(start);
    const token = first === '"' ? /"(?:[^"\\]|\\.)*"/y : /[^\s,\]}]+/y;
    const text = this.take(token);
    return { kind: scalarKind(text), text, members: noMembers, elements: [] };
  }

  private object(start: number): Json {
    const members = new Map<string, Json>();
    for (let more = this.opened("}"); more; more = this.another()) {
      this.space();
      const name = JSON.parse(this.take(/"(?:[^"\\]|\\.)*"/y)) as string;
      this.space();
      this.at++; // the colon
      members.set(name, this.value());
    }
    return { kind: "object", text: this.text.slice(start, this.at), members, elements: [] };
  }

  private array(start: number): Json {
    const elements: Json[] = [];
    for (let more = this.opened("]"); more; more = this.another()) elements.push(this.value());
    return { kind: "array", text: this.text.slice(start, this.at), members: noMembers, elements };
  }

  /** Steps over the opening bracket, and over the closing one if it is next. */
  private opened(end: string): boolean {
    this.at++;
    this.space();
    if (this.text[this.at] !== end) return true;
    this.at++;
    return false;
  }

  /** Steps over the comma or the closing bracket after a value. */
  private another(): boolean {
    this.space();
    return this.text[this.at++] === ",";
  }

  private space(): void {
    this.take(/\s*/y);
  }

  private take(token: RegExp): string {
    token.lastIndex = this.at;
    const found = token.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }
}

function scalarKind(text: string): Kind {
  if (text[0] === '"') return "string";
  if (text === "null") return "null";
  return text === "true" || text === "false" ? "boolean" : "number";
}

/** The text of an object with these members, in this order. */
export function objectText(members: Iterable<readonly [string, string]>): string {
  return `{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** Whether two scalars are equal: numbers as numbers, however many digits they have. */
export function sameScalar(a: Json, b: Json): boolean {
  if (a.kind !== b.kind) return false;
  return a.kind === "number"
    ? plainNumber(a.text) === plainNumber(b.text)
    : JSON.parse(a.text) === JSON.parse(b.text);
}

/** A number in one form of all it can be written in: digits without zeros at the end, and an exponent. */
function plainNumber(text: string): string {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parts === null) throw new Error(`no JSON number: ${text}`);
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  if (kept === "") return "0";
  return `${sign}${kept}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`;
}
