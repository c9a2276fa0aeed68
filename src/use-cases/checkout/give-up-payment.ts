/**
 * Gives up an open payment, so that the consumer can choose another way to pay. Only if its provider knows of no attempt
 * to pay it: otherwise the consumer might pay twice. A payment that was given up is still polled, and it counts if it
 * succeeds later. Contract 14.3.
 */
import { findOpenPayment } from '../../domain/order-state/checkout-step.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { applyStart } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { loadOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { countTokenChange, lockOpenOrder } from '../orders/order-access.ts';
import { pollTransaction } from '../payments/poll-provider.ts';

/** `attempt` is how many payments the order had when the page was shown. */
export async function giveUpPayment(
  services: Services,
  caller: Caller & { readonly orderId: string },
  attempt: number,
) {
  const { accountId, orderId } = caller;
  const transactionId = await claimPoll(services, caller, attempt);
  // There is a result, or another payment may be started.
  if (transactionId === undefined) return 'done';
  const polled = await pollTransaction(services, { accountId, transactionId }, orderId);
  if (polled && polled.kind !== 'done') return 'not-reached';
  // The provider has an attempt whose result is not known.
  if (polled?.wasTried) return 'tried';
  await saveGivenUp(services, caller, transactionId);
  return 'done';
}

/** Each call polls the provider, so it counts as a change of the order, whose number is limited. */
function claimPoll(
  services: Pick<Services, 'database' | 'clock'>,
  caller: Caller & { readonly orderId: string },
  attempt: number,
): Promise<string | undefined> {
  return services.database.transaction(async (tx) => {
    const order = await lockOpenOrder(tx, services, caller, caller.orderId);
    const { transactions } = await loadOrderState(tx, order);
    const open = findOpenPayment(transactions);
    // A form of an earlier page must not give up a payment that was started since.
    if (!open || paymentsOf(transactions).length !== attempt) return undefined;
    await countTokenChange(tx, caller, order);
    return open.transactionId;
  });
}

function saveGivenUp(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  caller: Caller & { readonly orderId: string },
  transactionId: string,
): Promise<void> {
  return services.database.transaction(async (tx) => {
    const order = await lockOpenOrder(tx, services, caller, caller.orderId);
    const before = await loadOrderState(tx, order);
    const open = findOpenPayment(before.transactions);
    const isSame = open?.transactionId === transactionId;
    const isUntried = open?.status === 'new' || open?.status === 'pending';
    if (!isSame || !isUntried || !open.start) return;
    const now = services.clock();
    const start = { ...open.start, givenUpAtMs: now.getTime() };
    const after = applyStart(before, { ...open, type: 'payment', start });
    await saveOrderState(tx, services, before, settle(after, now), { now, cause: 'give-up' });
  });
}
