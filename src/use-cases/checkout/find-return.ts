/**
 * Finds the result for a consumer who returns from a provider, and for the shop. It is the stored state, never a claim
 * of the browser; the provider is polled until the state is final. Contract 11.10.
 */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { decideReturn, type ReturnStatus } from '../../domain/order-state/payment-return.ts';
import { type Callback, callbackOf } from '../../domain/orders/callback.ts';
import { orderStatus } from '../../domain/orders/order.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { Payment } from '../../domain/payments/transaction.ts';
import { providers } from '../../providers/providers.ts';
import { type Enquiry, enquiryOf } from '../../services/enquiry.ts';
import type { Services } from '../../services/services.ts';
import { pollAtMostEvery } from '../payments/poll-provider.ts';
import { findStarted } from './find-launch.ts';

export type FoundReturn =
  | { readonly kind: 'unknown' }
  | (ReturnedPayment & { readonly kind: 'waiting'; readonly untilMs: number })
  | (ReturnedPayment & {
      readonly kind: 'known';
      readonly status: ReturnStatus;
      /** The order with the payment that decided the status. */
      readonly enquiry: Enquiry;
      readonly callback: Callback | undefined;
      readonly callbackOrigins: readonly string[];
    });

type ReturnedPayment = {
  readonly account: Account;
  readonly orderId: string;
  /** The payment was started on our checkout page. */
  readonly atCheckout: boolean;
};

type ReturnHints = {
  /** When waiting ends, from the URL of the previous page. */
  readonly untilMs: number | undefined;
  /** The provider's page claims that the consumer has paid. */
  readonly saysPaid: boolean;
};

/** No token is needed: the ids in the URL are random, and the result shows no more than an order token would. */
export async function findReturn(
  services: Services,
  accountId: string,
  transactionId: string,
  hints: ReturnHints,
): Promise<FoundReturn> {
  const now = services.clock();
  const found = await findStarted(services, accountId, transactionId, now);
  if (!found) return { kind: 'unknown' };
  const { account, order, transactions, payment: started, start } = found;
  const { orderId } = order;
  const returned = { account, orderId, atCheckout: start.origin === 'checkout' };
  const result = decideReturn(started, transactions, orderStatus(order, now), hints.saysPaid);
  const untilMs = untilOf(hints, now);
  if (!result.isKnown && now.getTime() < untilMs) {
    pollOpenPayment(services, account, started, now);
    return { ...returned, kind: 'waiting', untilMs };
  }
  const [accessSecret = ''] = liveSecrets(account, 'access-secret', now);
  const signing = { account, accessSecret, signs: 'what v3 covers' } as const;
  return {
    ...returned,
    kind: 'known',
    status: result.status,
    enquiry: enquiryOf(order, transactions, [result.payment], signing),
    callback: callbackOf(order.details, start),
    callbackOrigins: account.callbackOrigins,
  };
}

/** Form fields that a provider's page sends along when the consumer has paid. */
export function listPaidFields(): string[] {
  return providers.flatMap(({ outbound }) => outbound.paidField ?? []);
}

/** The deadline is part of the URL, so it outlives this process. A forged deadline cannot extend the wait. */
function untilOf({ untilMs }: ReturnHints, now: Date): number {
  const latestMs = now.getTime() + paymentLimits.returnWaitSeconds * 1000;
  return untilMs !== undefined && untilMs <= latestMs ? untilMs : latestMs;
}

/**
 * Runs in the background: a slow provider must not delay the page, which reloads every second. Concurrent loads share
 * one poll. Long after the start, reloading the page polls the provider no more often than enquiries do.
 */
export function pollOpenPayment(
  services: Services,
  { accountId }: Account,
  { transactionId, start, startedAtMs }: Payment,
  now: Date,
): void {
  const sinceMs = start?.atMs ?? startedAtMs ?? 0;
  const isRecent = now.getTime() - sinceMs < paymentLimits.returnPollsOftenSeconds * 1000;
  const { pollSeconds } = services.settings;
  const seconds = isRecent ? Math.min(paymentLimits.returnPollSeconds, pollSeconds) : pollSeconds;
  pollAtMostEvery(services, { accountId, transactionId }, seconds).catch((error: unknown) =>
    services.reportDefect(error, { transactionId }),
  );
}
