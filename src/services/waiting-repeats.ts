/** Limits how many repeated requests of a process wait for the reply to the first one. */
import { paymentLimits } from '../domain/payments/limits.ts';

export type WaitingRepeats = ReturnType<typeof createWaitingRepeats>;

export function createWaitingRepeats() {
  const waiting = new Map<string, number>();
  let total = 0;
  return {
    /** False when too many are waiting, of this account or in total. */
    enter: (accountId: string): boolean => {
      const { waitingRepeatsMax, waitingRepeatsOfAccountMax } = paymentLimits;
      const own = waiting.get(accountId) ?? 0;
      if (total >= waitingRepeatsMax || own >= waitingRepeatsOfAccountMax) return false;
      waiting.set(accountId, own + 1);
      total += 1;
      return true;
    },
    leave: (accountId: string) => {
      const own = waiting.get(accountId) ?? 0;
      if (own > 1) waiting.set(accountId, own - 1);
      else waiting.delete(accountId);
      total -= 1;
    },
  };
}
