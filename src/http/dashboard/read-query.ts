/** Reads the query of a list. Whatever is not understood is refused, so that no filter is silently ignored. */
import { refuseField } from '../../domain/errors.ts';

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;
type Reader<Value> = (query: Query, name: string) => Value;
type ValuesOf<Readers> = {
  [Name in keyof Readers]: Readers[Name] extends Reader<infer Value> ? Value : never;
};

const usualLimit = 50;
const limitMax = 200;

/** Refuses names that have no reader, then reads in the order of the readers. */
export function readQuery<Readers extends Readonly<Record<string, Reader<unknown>>>>(
  query: Query,
  readers: Readers,
): ValuesOf<Readers> {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(readers, name));
  if (unknown !== undefined) refuseField(unknown, 'is not a parameter of this list');
  const values = Object.entries(readers).map(([name, read]) => [name, read(query, name)]);
  return Object.fromEntries(values) as ValuesOf<Readers>;
}

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

export function choiceOf<const Choice extends string>(choices: readonly Choice[]) {
  return (query: Query, name: string): Choice | undefined => {
    const text = readText(query, name);
    if (text === undefined) return undefined;
    const choice = choices.find((one) => one === text);
    return choice ?? refuseField(name, `must be one of ${choices.join(', ')}`);
  };
}

/** ISO 8601 with an offset, as `Date` writes it. */
export function readTime(query: Query, name: string): Date | undefined {
  const text = readText(query, name);
  if (text === undefined) return undefined;
  const time = new Date(text);
  const isTime = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Number(time));
  return isTime ? time : refuseField(name, 'must be a time such as 2026-11-17T10:00:00Z');
}

export function readNeededTime(query: Query, name: string): Date {
  return readTime(query, name) ?? refuseField(name, 'is missing');
}
