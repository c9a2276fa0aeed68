/**
 * Refunds a payment: decided and kept under the lock of its order, so that two at once never exceed what
 * is available; then asked for at the provider. One that cannot be reached now is asked later, as often as
 * it takes: the refund stands. Decision 11.5.
 */
import type { Account } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import type { WishedRefund } from '../domain/refund-request.ts';
import type { Caller } from '../security/tokens.ts';
import { lockBook } from './books.ts';
import {
  type KeptRefund,
  keepRefund,
  type RefundReply,
  type RepeatedRefund,
  refundReply,
} from './keep-refund.ts';
import { type EnquiredIds, getNamedOrder } from './named-order.ts';
import { askForRefund } from './refund-calls.ts';
import type { Services } from './services.ts';
import { type Replayable, waitForFirst } from './wait-for-first.ts';

export type RefundRequest = WishedRefund & { readonly invoiceId: string | undefined };

export async function refund(
  services: Services,
  caller: Caller,
  request: RefundRequest,
): Promise<Replayable<RefundReply>> {
  const { accountId } = caller;
  const account = await services.accounts.get(accountId);
  const ids: EnquiredIds = { transactionId: request.transactionId, invoiceId: request.invoiceId };
  if (ids.transactionId === undefined && ids.invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send transaction_id or invoice_id.');
  }
  const { orderId } = (await getNamedOrder(services, caller, ids)).order;
  const kept = await services.database.transaction(async (tx) =>
    keepRefund(tx, services, account, await lockBook(tx, accountId, orderId), request),
  );
  if (kept.kind === 'repeat') {
    return { reply: await tellRepeat(services, accountId, orderId, kept), replayed: true };
  }
  return { reply: await makeRefund(services, account, orderId, kept), replayed: false };
}

async function makeRefund(
  services: Services,
  account: Account,
  orderId: string,
  kept: KeptRefund,
): Promise<RefundReply> {
  const { accountId } = account;
  const { transactionId, provider, asKept } = kept;
  services.asks.plan({ accountId, transactionId, provider, at: kept.askAt });
  try {
    for (const call of kept.calls) {
      await askForRefund(services, account, orderId, kept.api, provider, call);
    }
    const told = await tellRefund(services, accountId, orderId, asKept);
    return told.reply;
  } catch (error) {
    // It is kept and will be made: whoever was told otherwise would ask for it a second time.
    services.reportDefect(error, { transactionId });
    return asKept;
  }
}

/** As it stands now; one that is just being made is waited for. */
async function tellRepeat(
  services: Services,
  accountId: string,
  orderId: string,
  { refund, paymentTransactionId }: RepeatedRefund,
): Promise<RefundReply> {
  const { transactionId, start } = refund;
  const tell = () =>
    tellRefund(services, accountId, orderId, { transactionId, paymentTransactionId });
  const madeOrOver = await waitForFirst(services, new Date(start?.atMs ?? 0), async () => {
    const { isBeingMade, reply } = await tell();
    return isBeingMade ? undefined : reply;
  });
  return madeOrOver ?? (await tell()).reply;
}

async function tellRefund(
  { batches }: Services,
  accountId: string,
  orderId: string,
  named: Pick<RefundReply, 'transactionId' | 'paymentTransactionId'>,
) {
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await batches.findOrderWithTransactions(question);
  const transactions = found?.transactions ?? [];
  const saved = transactions.find(({ transactionId }) => transactionId === named.transactionId);
  if (saved?.type !== 'refund' || !found) throw new Error('a refund that was kept is gone');
  const isBeingMade = saved.start?.call === 'open';
  return { isBeingMade, reply: refundReply(saved, named.paymentTransactionId, found) };
}
