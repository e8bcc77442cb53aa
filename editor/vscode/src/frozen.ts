/**
 * Values that are given to other extensions: nobody can change them, since this extension has the same ones.
 * Pure, but for the values themselves.
 */

/** What is frozen through and through. Others freeze the outside of values only. */
const done = new WeakSet<object>();

/** frozen freezes a value that came from JSON, with all that it has, and gives it back. */
export function frozen<T>(value: T): T {
  // Not by recursion: a schema may be nested more deeply than the stack.
  const todo: unknown[] = [value];
  for (let next = todo.pop(); todo.length > 0 || next !== undefined; next = todo.pop()) {
    if (typeof next !== "object" || next === null || done.has(next)) continue;
    done.add(next);
    Object.freeze(next);
    for (const member of Object.values(next)) {
      if (typeof member === "object" && member !== null) todo.push(member);
    }
  }
  return value;
}
