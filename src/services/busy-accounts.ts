/**
 * Which accounts are left out of the next claim of polls: those with many polls in progress, and those whose provider did
 * not answer. An account is trusted with many polls only after an answer, so that many accounts whose provider hangs
 * cannot take all polls of the process.
 */
import { paymentLimits } from '../domain/payments/limits.ts';

export function createBusyAccounts(clockMs: () => number = () => performance.now()) {
  const counts = new Map<string, number>();
  const answering = new Set<string>();
  /** Also those that are over: the next one is longer, unless there was an answer in between. */
  const pauses = new Map<string, { readonly ms: number; readonly untilMs: number }>();
  const maxOf = (accountId: string) =>
    answering.has(accountId) ? paymentLimits.pollsOfAccountMax : 1;

  const pause = (accountId: string) => {
    const nowMs = clockMs();
    const last = pauses.get(accountId);
    // The other polls of the same claim fail at the same time.
    if (last && nowMs < last.untilMs) return;
    const ms = last
      ? Math.min(2 * last.ms, paymentLimits.pollPauseMsMax)
      : paymentLimits.providerPauseMs;
    pauses.set(accountId, { ms, untilMs: nowMs + ms });
  };
  return {
    start: (accountId: string) => {
      counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    },
    end: (accountId: string, hasAnswer: boolean) => {
      const left = (counts.get(accountId) ?? 1) - 1;
      if (left > 0) counts.set(accountId, left);
      else counts.delete(accountId);
      if (hasAnswer) {
        answering.add(accountId);
        pauses.delete(accountId);
      } else {
        answering.delete(accountId);
        // The circuit breaker is about to open, or open: polls would only use up their tries.
        pause(accountId);
      }
    },
    list: () => {
      const nowMs = clockMs();
      const full = [...counts].filter(([accountId, count]) => count >= maxOf(accountId));
      const paused = [...pauses].filter(([, { untilMs }]) => nowMs < untilMs);
      return [...new Set([...full, ...paused].map(([accountId]) => accountId))];
    },
  };
}
