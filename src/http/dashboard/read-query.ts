/** Reads the query of a list. Whatever is not understood is refused, so that no filter is silently ignored. */
import { refuseField } from '../../domain/errors.ts';

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

const usualLimit = 50;
const limitMax = 200;

export function readText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') refuseField(name, 'is given twice');
  // PostgreSQL stores none.
  if (value.includes('\0')) refuseField(name, 'has a character that no text has');
  return value;
}

export function readLimit(query: Query): number {
  const text = readText(query, 'limit');
  if (text === undefined) return usualLimit;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) refuseField('limit', `must be from 1 to ${limitMax}`);
  return limit;
}

export function readChoice<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = readText(query, name);
  if (text === undefined) return undefined;
  const choice = choices.find((one) => one === text);
  return choice ?? refuseField(name, `must be one of ${choices.join(', ')}`);
}

/** ISO 8601 with an offset, as `Date` writes it. */
export function readTime(query: Query, name: string): Date | undefined {
  const text = readText(query, name);
  if (text === undefined) return undefined;
  const time = new Date(text);
  const isTime = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Number(time));
  return isTime ? time : refuseField(name, 'must be a time such as 2026-11-17T10:00:00Z');
}

export function refuseUnknown(query: Query, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown !== undefined) refuseField(unknown, 'is not a parameter of this list');
}
