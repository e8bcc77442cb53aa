/** Which names sound like secrets. Pure. */

const SECRET =
  /pass(word|phrase|wd|code)|secret|token|api[-_ ]?key|private[-_ ]?key|credential|authorization|cookie/i;

/** Words of names that only sound so: of pages, of what goes on, of limits. */
const HARMLESS = new Set([
  ...["page", "next", "sync", "continuation", "cursor", "progress"],
  ...["max", "min", "count", "limit", "total", "num"],
]);

/** secretName says whether what has this name is likely a secret. */
export function secretName(name: string): boolean {
  if (!SECRET.test(name)) return false;
  const words = name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/);
  return !words.some((word) => HARMLESS.has(word.toLowerCase()));
}
