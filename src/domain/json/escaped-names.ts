/**
 * Works around a defect of V8 (nodejs/node#63785): once a name with a backslash was read, `JSON.parse` may take
 * another name that is written with an escape for it. So a body of one merchant could change the names in a body of
 * another. Names are written without escapes before they are parsed, wherever JSON allows it.
 */

/** A string, and the colon behind it when it is a name. One pass: nothing in it can match in two ways. */
const strings = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/gs;

/**
 * The text must be valid JSON, or this could take long. The same JSON comes back: only escapes in names of fields are
 * written as the characters they stand for.
 */
export function resolveEscapedNames(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(strings, (all, string: string, colon: string | undefined) =>
    // A string on its own is read right.
    colon !== undefined && string.includes('\\') ? JSON.stringify(JSON.parse(string)) + colon : all,
  );
}
