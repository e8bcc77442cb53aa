/** The places that a report names, as links to the files. Pure. */

/** Link is a place in the text of a report: from `start` to `end`, in UTF-16 code units. */
export interface Link {
  readonly start: number;
  readonly end: number;
  readonly path: string;
  /** line counts from 1. */
  readonly line: number | undefined;
}

/** An absolute path, or one below "~", as code: see placeOf in report.ts. */
const PLACE = /`((?:~|[A-Za-z]:)?[/\\][^`\n]*?)(?::(\d+))?`/g;

/** linksIn finds the places in a report. `home` is what "~" stands for. */
export function linksIn(report: string, home: string): Link[] {
  return [...report.matchAll(PLACE)].map((match) => {
    const [whole, shown = "", line] = match;
    const path = shown.replaceAll("\\|", "|").replace(/^~/, () => home);
    const start = match.index + 1;
    return {
      start,
      end: start + whole.length - 2,
      path,
      line: line === undefined ? undefined : Number(line),
    };
  });
}
