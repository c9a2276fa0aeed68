/** `--limit`: how many rows a list prints at most. */
import { UsageError } from './command.ts';

export const limitOption = { limit: { type: 'string' } } as const;

const usualLimit = 100;
const limitMax = 1_000;

export function readLimit(text: string | undefined): number {
  if (text === undefined) return usualLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > limitMax) throw new UsageError('--limit must be from 1 to 1000.');
  return limit;
}
