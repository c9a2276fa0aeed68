/** Reads the operator's figures from the database, seldom and without waiting long: looking must not hurt. */
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../domain/limits.ts';
import { type OperatorFigures, readOperatorFigures } from '../store/operator-figures.ts';
import type { Services } from './services.ts';

export type { OperatorFigures };

/** Gives undefined while the database does not answer. */
export type FiguresReader = () => Promise<OperatorFigures | undefined>;

/** Those who ask within a while share one reading, as do all who ask while it lasts. */
export function createFiguresReader(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { keptMs = limits.figuresKeptMs }: { readonly keptMs?: number | undefined } = {},
): FiguresReader {
  let kept: Promise<OperatorFigures | undefined> | undefined;
  const read = () => {
    const reading = readOperatorFigures(database, clock()).catch(() => undefined);
    kept = reading;
    void reading.then(async () => {
      await delay(keptMs, undefined, { ref: false });
      kept = undefined;
    });
    return reading;
  };
  return async () => {
    const ending = new AbortController();
    const late = delay(limits.figuresAnswerMsMax, undefined, { signal: ending.signal });
    try {
      return await Promise.race([kept ?? read(), late.catch(() => undefined)]);
    } finally {
      ending.abort();
    }
  };
}
