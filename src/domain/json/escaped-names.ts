/**
 * Works around a V8 bug (nodejs/node#63785): after `JSON.parse` has read a name with a backslash, it may return that
 * name for another name that is written with an escape. So one merchant's body could change the names in another's.
 * The workaround rewrites names without escapes, as far as JSON allows, before they are parsed.
 */

/** A string, and the colon after it if it is a name. There is only one way to match, so no backtracking. */
const strings = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/gs;

/**
 * Returns equivalent JSON in which the escapes of field names are replaced by the characters they stand for. The text
 * must be valid JSON; on other texts the expression may be slow.
 */
export function resolveEscapedNames(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(strings, (all, string: string, colon: string | undefined) =>
    // The bug does not affect string values.
    colon !== undefined && string.includes('\\') ? JSON.stringify(JSON.parse(string)) + colon : all,
  );
}
