/**
 * Refunds a payment. The refund is decided and stored under the order's lock, so that concurrent refunds never exceed
 * the payment, and then sent to the provider. If the provider cannot be reached, it is sent again later. Contract 11.5.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { Actor } from '../../domain/audit.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { formatAmount, isPositive, type SentAmount } from '../../domain/money/money.ts';
import { linkRefunds } from '../../domain/order-state/refund-links.ts';
import type { RequestedRefund } from '../../domain/order-state/refund-request.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import { consumerDataKeyOf } from '../../services/consumer-data-key.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { saveAnswer } from '../../store/payments/idempotency-keys.ts';
import { lockOrderState } from '../order-state/lock-order-state.ts';
import { getNamedOrder } from '../orders/get-named-order.ts';
import {
  comparableAmount,
  findFirstAnswer,
  type KeyedRequest,
  keyedRequest,
  type Replayable,
  waitForFirst,
} from './idempotency.ts';
import { requestRefund } from './refund-calls.ts';
import {
  type RefundReply,
  type RepeatedRefund,
  refundReply,
  type StoredRefund,
  storeRefund,
} from './store-refund.ts';

type RefundRequest = RequestedRefund & {
  readonly invoiceId: string | undefined;
  /** The amount under its other name. Contract 11.12. */
  readonly amountAlias?: RequestedRefund['amount'];
};

type RefundOptions = {
  readonly idempotencyKey?: string | undefined;
  /** The user of the dashboard who requests it: a new refund is written to the audit log. */
  readonly by?: { readonly actor: Actor; readonly note: string | null };
};

/**
 * For a user of the dashboard, as the merchant API does. The key makes a repeat return the first refund, also from
 * another tab or another user; a refund that was made since the user saw `refundedSoFar` refuses this one. Contract 13.5.
 */
export async function refundAsUser(
  services: Services,
  actor: Actor,
  { accountId, orderId }: OrderKey,
  sent: {
    readonly transactionId: string;
    readonly amount: SentAmount;
    readonly refundedSoFar: SentAmount;
    readonly key: string;
    readonly note: string | null;
  },
) {
  const { key, note, ...wanted } = sent;
  if (!wanted.transactionId.startsWith(`${orderId}-`)) {
    throw new ServiceError('NOT_FOUND', 'The order has no such payment.');
  }
  // A user acts for the whole account, as whoever has a merchant token does.
  const caller = { type: 'merchant', accountId, secretMark: '' } as const;
  const request = { ...wanted, invoiceId: undefined, refundRequestId: undefined };
  // Shops choose their keys themselves: theirs must not meet those of the dashboard.
  const idempotencyKey = `dashboard ${key}`;
  return refund(services, caller, request, { idempotencyKey, by: { actor, note } });
}

export async function refund(
  services: Services,
  caller: Caller,
  sent: RefundRequest,
  { idempotencyKey, by }: RefundOptions = {},
): Promise<Replayable<RefundReply>> {
  const { accountId } = caller;
  const account = await services.accounts.get(accountId);
  const { refundRequestId: sentId } = sent;
  const refundRequestId = sentId && storableRequestId(account, sentId);
  const { transactionId, invoiceId } = sent;
  if (transactionId === undefined && invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send transaction_id or invoice_id.');
  }
  const { order } = await getNamedOrder(services, caller, { transactionId, invoiceId });
  const { orderId } = order;
  const request = { ...sent, refundRequestId, amount: chooseAmount(order, sent) };
  const amount = comparableAmount(request.amount, order.amounts.currency);
  const content = { orderId, transactionId, refundRequestId, amount };
  const keyed = keyedRequest(caller, 'refund', idempotencyKey, content);
  const stored = await services.database.transaction(async (tx) => {
    const before = await lockOrderState(tx, accountId, orderId);
    const outcome = await storeRefund(tx, services, account, before, request, keyed);
    if (by && outcome.kind === 'new') await writeAudit(tx, services, accountId, outcome, by);
    return outcome;
  });
  switch (stored.kind) {
    case 'answered': {
      const answer = await findFirstAnswer<RefundReply>(services, stored);
      const reply = answer ?? (await readRefund(services, accountId, orderId, stored.first)).reply;
      return { reply, replayed: true };
    }
    case 'repeat': {
      const reply = await readRepeat(services, accountId, orderId, stored);
      await saveReply(services, keyed, reply);
      return { reply, replayed: true };
    }
    case 'new': {
      const reply = await makeRefund(services, account, orderId, stored);
      await saveReply(services, keyed, reply);
      return { reply, replayed: false };
    }
    default:
      return stored satisfies never;
  }
}

async function writeAudit(
  tx: Transaction,
  { clock }: Pick<Services, 'clock'>,
  accountId: string,
  { transactionId, calls, replyIfCallFails }: StoredRefund,
  { actor, note }: NonNullable<RefundOptions['by']>,
): Promise<void> {
  const currency = calls[0]?.currency ?? '';
  const minor = calls.reduce((sum, { amount }) => sum + amount, 0);
  const amount = formatAmount(minor, displayExponent(currency));
  const details = { payment: replyIfCallFails.paymentTransactionId, amount, currency };
  const requested = { accountId, action: 'refund.requested', object: transactionId } as const;
  await appendAudit(tx, actor, clock(), { ...requested, note, details });
}

/** Runs before contents are compared, so that a repeat may use the other name, and an amount that is none is no repeat. */
function chooseAmount({ amounts }: Order, { amount, amountAlias }: RefundRequest) {
  refuseUnlessPositive('refund_amount', amount);
  refuseUnlessPositive('amount', amountAlias);
  if (amount === undefined || amountAlias === undefined) return amount ?? amountAlias;
  if (
    comparableAmount(amount, amounts.currency) === comparableAmount(amountAlias, amounts.currency)
  )
    return amount;
  return refuseField('amount', 'is not equal to refund_amount: send one of them');
}

function refuseUnlessPositive(field: string, sent: RefundRequest['amount']): void {
  if (sent === undefined || isPositive(sent)) return;
  refuseField(field, 'must be a decimal number above 0, such as 10.50');
}

/** A repeat with the same key gets this reply, whatever happens to the refund later. */
async function saveReply(
  services: Pick<Services, 'database' | 'reportDefect'>,
  keyed: KeyedRequest | undefined,
  reply: RefundReply,
): Promise<void> {
  if (!keyed) return;
  const { transactionId } = reply;
  await saveAnswer(services.database, keyed, transactionId, reply).catch((error: unknown) =>
    services.reportDefect(error, { transactionId }),
  );
}

async function makeRefund(
  services: Services,
  account: Account,
  orderId: string,
  stored: StoredRefund,
): Promise<RefundReply> {
  const { accountId } = account;
  const { transactionId, provider, api, calls, replyIfCallFails } = stored;
  try {
    for (const call of calls) {
      await requestRefund(services, { account, orderId, provider, api }, call);
    }
    const { reply } = await readRefund(services, accountId, orderId, replyIfCallFails);
    return reply;
  } catch (error) {
    // The refund is stored and will be sent. An error would make the caller request it a second time.
    services.reportDefect(error, { transactionId });
    return replyIfCallFails;
  }
}

/** Reads the current state of the refund. If its first request is still running, waits for the result. */
async function readRepeat(
  services: Pick<Services, 'batches' | 'waitingRepeats' | 'clock'>,
  accountId: string,
  orderId: string,
  { refund, paymentTransactionId }: RepeatedRefund,
): Promise<RefundReply> {
  const { transactionId, start } = refund;
  const read = () =>
    readRefund(services, accountId, orderId, { transactionId, paymentTransactionId });
  const finished = await waitForFirst(services, accountId, new Date(start?.atMs ?? 0), async () => {
    const { isBeingMade, reply } = await read();
    return isBeingMade ? undefined : reply;
  });
  return finished ?? (await read()).reply;
}

async function readRefund(
  { batches }: Pick<Services, 'batches'>,
  accountId: string,
  orderId: string,
  named: { readonly transactionId: string; readonly paymentTransactionId?: string },
) {
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await batches.findOrderWithTransactions(question);
  const transactions = found?.transactions ?? [];
  const saved = transactions.find(({ transactionId }) => transactionId === named.transactionId);
  if (saved?.type !== 'refund' || !found) throw new Error('a stored refund is missing');
  const isBeingMade = saved.start?.call === 'open';
  const paymentTransactionId =
    named.paymentTransactionId ??
    linkRefunds(transactions).findPaymentOf(saved)?.transactionId ??
    '';
  return { isBeingMade, reply: refundReply(saved, paymentTransactionId, found) };
}

/**
 * Masks card numbers in a merchant's refund request id before it is stored. Contract 8.5. Two different ids may have
 * the same mask, so a digest keeps them distinct. The digest is keyed, so that nobody can recover the digits by trying
 * all of them.
 */
function storableRequestId(account: Account, sent: string): string {
  const masked = maskCardNumbers(sent);
  if (masked === sent) return sent;
  return `${masked}~${consumerDataKeyOf(account).digest(sent).toString('hex').slice(0, 16)}`;
}
