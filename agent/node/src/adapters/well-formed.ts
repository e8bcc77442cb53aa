/**
 * Texts as they may be sent to a model. A program that cuts a text in the middle of an emoji sends half of
 * it, a lone surrogate. That is no Unicode text: SDKs cannot encode it, and providers refuse the whole
 * request, at every turn of a conversation that has it.
 */

/** wellFormed has U+FFFD in place of every half of a character. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD"); // with u, a whole pair is none
}

/**
 * bounded is JSON with all its texts as text makes them, and an ellipsis in place of objects and lists that
 * are in more than depth others: those say nothing any more, and would end the stack of whoever walks them.
 * It is the same object if nothing had to change.
 */
export function bounded(value: unknown, depth: number, text: (text: string) => string = wellFormed): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth === 0) return "…";
  if (Array.isArray(value)) {
    const items = value.map((item) => bounded(item, depth - 1, text));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const own = Object.entries(value);
  const members = own.map(([name, member]) => [wellFormed(name), bounded(member, depth - 1, text)] as const);
  const same = members.every(
    ([name, member], index) => name === own[index]?.[0] && member === own[index]?.[1],
  );
  return same ? value : Object.fromEntries(members);
}

/** cut ends a text that is too long with an ellipsis, between two characters. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${start(text, Math.max(longest - 1, 0))}…`;
}

/** start is the first characters of a text, and no half of one. */
export function start(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, "");
}
