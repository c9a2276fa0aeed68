/**
 * Opens the checkout of an order and loads what its page shows. While a payment is open, its provider is polled.
 * Contract 14.3.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { type CheckoutStep, decideCheckoutStep } from '../../domain/order-state/checkout-step.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { type Callback, callbackOf } from '../../domain/orders/callback.ts';
import { type Order, orderStatus } from '../../domain/orders/order.ts';
import type { ChoiceMode } from '../../domain/payment-mode.ts';
import type { Choice } from '../../providers/provider.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { insertCheckout, saveCheckoutOutcome } from '../../store/orders/checkouts.ts';
import { checkAccess } from '../orders/order-access.ts';
import { hasPaymentPage } from '../payments/payment-reply.ts';
import { isPayable } from './find-launch.ts';
import { pollOpenPayment } from './find-return.ts';
import {
  choicesOf,
  getVisibleOrder,
  modesOf,
  type PaymentModesReply,
} from './list-payment-modes.ts';

export type Checkout = {
  readonly account: Account;
  readonly order: Order;
  readonly step: CheckoutStep;
  /** How many payments the order has. A form says which one it starts, so that no form starts two. */
  readonly attempt: number;
  readonly modes: Pick<PaymentModesReply, 'fast' | 'other'>;
  readonly choices: Readonly<Record<ChoiceMode, readonly Choice[]>>;
  readonly upiCollect: boolean;
  readonly callback: Callback | undefined;
  /** True if the consumer can go on to the provider's page. */
  readonly canContinue: boolean;
};

const noModes = { fast: [], other: [] } as const;

export async function getCheckout(services: Services, caller: Caller): Promise<Checkout> {
  const { accountId } = caller;
  const account = await services.accounts.get(accountId);
  const orderId = caller.type === 'merchant' ? '' : caller.orderId;
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await services.batches.findOrderWithTransactions(question);
  const order = checkAccess(caller, found?.order, 'ORDER_NOT_FOUND');
  const now = services.clock();
  const transactions = found ? settleTransactions(found, now) : [];
  const status = orderStatus(order, now);
  const step = decideCheckoutStep(transactions, status, now);
  if (step.kind === 'waiting') pollOpenPayment(services, account, step.payment, now);
  if (step.kind === 'paid') await notePaid(services, order);
  const payment = 'payment' in step ? step.payment : undefined;
  return {
    account,
    order,
    step,
    attempt: paymentsOf(transactions).length,
    modes: step.kind === 'choose' ? await modesOf(services, account, order) : noModes,
    choices: {
      net_banking: choicesOf(services, account, 'net_banking'),
      wallet: choicesOf(services, account, 'wallet'),
    },
    upiCollect: account.upiCollect,
    callback: callbackOf(order.details, payment?.start ?? {}),
    canContinue: payment !== undefined && hasPaymentPage(payment) && isPayable(payment, status),
  };
}

async function notePaid(
  { database, counters }: Pick<Services, 'database' | 'counters'>,
  order: Order,
): Promise<void> {
  if (await saveCheckoutOutcome(database, order, 'paid')) counters.noteCheckout('paid');
}

/** Opens the checkout of an order for the holder of its token, and records that it was opened. Contract 14.7. */
export async function openCheckout(
  services: Pick<Services, 'database' | 'counters' | 'clock'>,
  caller: Caller & { readonly orderId: string },
): Promise<void> {
  const { database, counters, clock } = services;
  const order = await getVisibleOrder(services, caller, caller.orderId);
  if (await insertCheckout(database, order, clock())) counters.noteCheckout('opened');
}
