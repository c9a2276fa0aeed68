/**
 * Finds the result for a consumer who returns from a provider, and for the shop. It is the stored state, never a claim
 * of the browser; the provider is polled until the state is final. Contract 11.10.
 */
import { type Account, accessSecretOf } from '../../domain/accounts/account.ts';
import { decideReturn, type ReturnStatus } from '../../domain/order-state/payment-return.ts';
import { callbackOf } from '../../domain/orders/callback.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { Payment, Transaction } from '../../domain/payments/transaction.ts';
import { providers } from '../../providers/providers.ts';
import { enquiryOf } from '../../services/enquiry.ts';
import type { Services } from '../../services/services.ts';
import { pollAtMostEvery } from '../payments/poll-provider.ts';
import { findStarted } from './find-launch.ts';

export type FoundReturn = Awaited<ReturnType<typeof findReturn>>;

/** No token is needed: the ids in the URL are random, and the result shows no more than an order token would. */
export async function findReturn(
  services: Services,
  accountId: string,
  transactionId: string,
  hints: {
    /** When waiting ends, from the URL of the previous page. */
    readonly untilMs: number | undefined;
    /** The provider's page claims that the consumer has paid. */
    readonly saysPaid: boolean;
  },
) {
  const found = await findStarted(services, accountId, transactionId);
  if (!found) return { kind: 'unknown' as const };
  const { now, account, order, transactions, payment: started, start } = found;
  const atCheckout = start.origin === 'checkout';
  const inFrame = start.inFrame === true;
  const returned = { account, orderId: order.orderId, atCheckout, inFrame };
  const result = decideReturn(started, transactions, orderStatus(order, now), hints.saysPaid);
  // The deadline is part of the URL, so it outlives this process. A forged deadline cannot extend the wait.
  const latestMs = now.getTime() + paymentLimits.returnWaitSeconds * 1000;
  const { untilMs: sentMs } = hints;
  const untilMs = sentMs !== undefined && sentMs <= latestMs ? sentMs : latestMs;
  if (!result.isKnown && now.getTime() < untilMs) {
    pollOpenPayment(services, account, started, now);
    return { ...returned, kind: 'waiting' as const, untilMs };
  }
  return {
    ...returned,
    kind: 'known' as const,
    ...shopResultOf(account, { order, transactions }, result, now),
    callback: callbackOf(order.details, start),
    callbackOrigins: account.callbackOrigins,
  };
}

export type ShopResult = ReturnType<typeof shopResultOf>;

/** What the shop is told: the status, and the order with the payment that decided it. */
export function shopResultOf(
  account: Account,
  { order, transactions }: Ordered,
  { status, payment }: { readonly status: ReturnStatus; readonly payment: Payment | undefined },
  now: Date,
) {
  const accessSecret = accessSecretOf(account, now);
  const signing = { account, accessSecret, signs: 'what v3 covers' } as const;
  const enquiry = enquiryOf(order, transactions, payment ? [payment] : [], signing);
  return { status, enquiry };
}

type Ordered = { readonly order: Order; readonly transactions: readonly Transaction[] };

/** Form fields that a provider's page sends along when the consumer has paid. */
export function listPaidFields(): string[] {
  return providers.flatMap(({ outbound }) => outbound.paidField ?? []);
}

/**
 * The page reloads every second, and concurrent loads share one poll. Long after the start, reloading the page polls the
 * provider no more often than enquiries do.
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
  pollAtMostEvery(services, { accountId, transactionId }, seconds);
}
