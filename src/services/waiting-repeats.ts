/** Limits how many repeated requests of a process wait for the reply to the first one. */
import { paymentLimits } from '../domain/payments/limits.ts';

export type WaitingRepeats = {
  /** False when too many are waiting, of this account or in total. */
  readonly enter: (accountId: string) => boolean;
  readonly leave: (accountId: string) => void;
};

export function createWaitingRepeats(): WaitingRepeats {
  const waiting = new Map<string, number>();
  let total = 0;
  return {
    enter: (accountId) => {
      const own = waiting.get(accountId) ?? 0;
      if (
        total >= paymentLimits.waitingRepeatsMax ||
        own >= paymentLimits.waitingRepeatsOfAccountMax
      )
        return false;
      waiting.set(accountId, own + 1);
      total += 1;
      return true;
    },
    leave: (accountId) => {
      const own = waiting.get(accountId) ?? 0;
      if (own > 1) waiting.set(accountId, own - 1);
      else waiting.delete(accountId);
      total -= 1;
    },
  };
}
