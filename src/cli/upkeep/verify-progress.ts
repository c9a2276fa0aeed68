/** What `verify` prints while it runs: how far it is, how fast, and where to continue. */
import type { VerifyProgress } from '../../use-cases/upkeep/verify-invariants.ts';

const progressMs = 3_000;

/** Prints a line every few seconds. The speed is that of the table at hand since its first page. */
export function createProgress(
  print: (text: string) => void,
  clockMs: () => number = () => performance.now(),
) {
  let current: VerifyProgress | undefined;
  let tableStartedMs = clockMs();
  let printedMs = tableStartedMs;
  return {
    cursor: () => current?.cursor,
    note: (page: VerifyProgress) => {
      const nowMs = clockMs();
      if (current && page.table !== current.table) tableStartedMs = nowMs;
      current = page;
      if (nowMs - printedMs < progressMs) return;
      printedMs = nowMs;
      print(describeProgress(page, nowMs - tableStartedMs));
    },
  };
}

function describeProgress({ table, rows, breaches, cursor }: VerifyProgress, ms: number): string {
  const perSecond = Math.round((1_000 * rows) / Math.max(ms, 1));
  return `${table}: ${rows} checked, ${perSecond} a second, ${breaches} breaches. ${continueWith(cursor)}`;
}

export function continueWith(cursor: string): string {
  return `Continue with: verify --after ${cursor}`;
}
