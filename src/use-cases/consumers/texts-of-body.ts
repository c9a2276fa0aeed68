/** Lists the decoded texts of a delivery's body, JSON or form: field names, strings and numbers. */
import { parseExactJson } from '../../domain/json/json.ts';

export function textsOfBody(body: Buffer): string[] {
  const text = body.toString('utf8');
  if (!text.trimStart().startsWith('{')) return [...new URLSearchParams(text)].flat();
  try {
    return textsIn(parseExactJson(text));
  } catch {
    return [text];
  }
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, entry]) => [name, ...textsIn(entry)]);
  }
  return value === null || value === undefined ? [] : [String(value)];
}
