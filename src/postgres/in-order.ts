/**
 * Starts statements in a given order without waiting for the answers in between, so that all of them leave in
 * one pipeline. `Promise.all` would do the same and say "in any order".
 */

/**
 * Statements are queued in the order in which they are started, and PostgreSQL runs the statements of a connection
 * in that order. Only the first statement of a part has its place in the list: what a part sends after an `await`
 * of its own runs behind all other parts.
 */
export function inOrder<const Parts extends readonly (() => Promise<unknown>)[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<ReturnType<Parts[Index]>> }> {
  return Promise.all(parts.map((start) => start())) as never;
}
