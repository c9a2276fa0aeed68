/**
 * Opens the checkout of an order, loads what its page shows, and records how it ended. While a payment is open, its
 * provider is polled. Contract 14.3.
 */
import { decideCheckoutStep, newestOf } from '../../domain/order-state/checkout-step.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { decideReturn } from '../../domain/order-state/payment-return.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import { callbackOf } from '../../domain/orders/callback.ts';
import { orderStatus } from '../../domain/orders/order.ts';
import type { Caller } from '../../security/tokens.ts';
import { findShownBankAccount } from '../../services/bank-account.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import {
  insertCheckout,
  listEndedCheckouts,
  saveCheckoutOutcome,
} from '../../store/orders/checkouts.ts';
import { checkAccess } from '../orders/order-access.ts';
import { hasPaymentPage } from '../payments/payment-reply.ts';
import { isPayable } from './find-launch.ts';
import { pollOpenPayment, shopResultOf } from './find-return.ts';
import { choicesOf, getVisibleOrder, modesOf } from './list-payment-modes.ts';

export type Checkout = Awaited<ReturnType<typeof getCheckout>>;

export async function getCheckout(services: Services, caller: Caller) {
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
  if (step.kind === 'paid' && (await saveCheckoutOutcome(services.database, order, 'paid'))) {
    services.counters.noteCheckout('paid');
  }
  const payment = 'payment' in step ? step.payment : undefined;
  // Without a payment nobody has paid.
  const last = payment ?? newestOf(paymentsOf(transactions));
  const result = last
    ? decideReturn(last, transactions, status, false)
    : ({ status: 'failed', payment: undefined } as const);
  const bankAccount = findShownBankAccount(account, order);
  const banks = choicesOf(services, account, order, 'net_banking');
  const bank = banks.find(({ code }) => isOfBank(code, bankAccount?.bank));
  return {
    account,
    order,
    step,
    // How many payments the order has. A form says which one it starts, so that no form starts two.
    attempt: paymentsOf(transactions).length,
    modes:
      step.kind === 'choose' ? await modesOf(services, account, order) : { fast: [], other: [] },
    choices: {
      // First, because it is preselected in a list that scrolls.
      net_banking: bank ? [bank, ...banks.filter((each) => each !== bank)] : banks,
      wallet: choicesOf(services, account, order, 'wallet'),
    },
    // What is shown of the account that the payment must come from.
    bankAccount,
    // The code of its bank, if the provider lists it.
    bank: bank?.code,
    upiCollect: account.upiCollect,
    callback: callbackOf(order.details, payment?.start ?? {}),
    result: shopResultOf(account, { order, transactions }, result, now),
    // True if the consumer can go on to the provider's page.
    canContinue: payment !== undefined && hasPaymentPage(payment) && isPayable(payment, status),
  };
}

/** Providers name some banks by the four letters of the IFSC and a suffix, such as `BARB_R`. */
function isOfBank(code: string, bank: string | undefined): boolean {
  return bank !== undefined && code.split('_')[0] === bank;
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

const endedMax = 500;

/**
 * Records how checkouts ended whose order has lapsed. The page records a success itself, as soon as a consumer sees it.
 * Returns how many are left, at least. Contract 14.7.
 */
export async function endCheckouts(
  { database, counters, clock }: Pick<Services, 'database' | 'counters' | 'clock'>,
  isOver: IsOver,
): Promise<number> {
  const ended = await listEndedCheckouts(database, clock(), endedMax);
  for (const [index, { outcome, ...name }] of ended.entries()) {
    if (isOver()) return ended.length - index;
    if (await saveCheckoutOutcome(database, name, outcome)) counters.noteCheckout(outcome);
  }
  return 0;
}
