/** Parts of an enquiry, as the separate calls of older clients read them. Contract 11.11. */
import { refuseField, ServiceError } from '../../domain/errors.ts';
import { paymentsOf, refundsOf } from '../../domain/order-state/matching.ts';
import { linkRefunds } from '../../domain/order-state/refund-links.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { findRefundOf } from '../../store/payments/refund-requests.ts';
import type { EnquiredIds } from '../orders/get-named-order.ts';
import { enquire } from './enquire.ts';

export type EnquiryPart =
  | 'one transaction'
  | 'payments of an order'
  | 'one refund'
  | 'refunds of an order'
  | 'refunds of a payment';

type PartIds = EnquiredIds & { readonly refundRequestId?: string };

export async function enquirePart(
  services: Services,
  caller: Caller,
  part: EnquiryPart,
  ids: PartIds,
) {
  const { refundRequestId, ...others } = ids;
  refuseMissing(part, ids);
  const orderIds =
    part === 'one refund' ? await findOrderIds(services, caller, refundRequestId, others) : others;
  return enquire(services, caller, orderIds, (transactions) => choose(part, transactions, ids));
}

function refuseMissing(part: EnquiryPart, { transactionId, refundRequestId }: PartIds): void {
  if (transactionId !== undefined) return;
  if (part === 'one transaction' || part === 'refunds of a payment') {
    refuseField('transaction_id', 'is missing: send it');
  }
  if (part === 'one refund' && refundRequestId === undefined) {
    refuseField('transaction_id', 'is missing: send it, or refund_request_id');
  }
}

/** A merchant may name a refund by its request id alone. An order token finds refunds of its own order only. */
async function findOrderIds(
  { database }: Pick<Services, 'database'>,
  { type, accountId }: Caller,
  refundRequestId: string | undefined,
  ids: EnquiredIds,
): Promise<EnquiredIds> {
  const namesOrder = Object.values(ids).some((id) => id !== undefined);
  if (namesOrder || type !== 'merchant' || refundRequestId === undefined) return ids;
  const transactionId = await findRefundOf(database, accountId, refundRequestId);
  if (transactionId === undefined) throw new ServiceError('TRANSACTION_NOT_FOUND', noRefund);
  return { transactionId };
}

const noRefund = 'No refund of this account has these ids: check the values.';

function choose(
  part: EnquiryPart,
  transactions: readonly Transaction[],
  { transactionId, refundRequestId }: PartIds,
): readonly Transaction[] {
  switch (part) {
    case 'one transaction':
      return transactions.filter((entry) => entry.transactionId === transactionId);
    case 'payments of an order':
      return paymentsOf(transactions);
    case 'refunds of an order':
      return refundsOf(transactions);
    case 'one refund': {
      // The latest: a request id is free again after its refund failed.
      const refund = refundsOf(transactions)
        .filter((entry) => transactionId === undefined || entry.transactionId === transactionId)
        .filter((entry) => !refundRequestId || entry.refundRequestId === refundRequestId)
        .at(-1);
      if (!refund) throw new ServiceError('TRANSACTION_NOT_FOUND', noRefund);
      return [refund];
    }
    case 'refunds of a payment': {
      const payment = paymentsOf(transactions).find(
        (entry) => entry.transactionId === transactionId,
      );
      if (!payment) {
        throw new ServiceError(
          'TRANSACTION_NOT_FOUND',
          'This transaction_id is that of a refund: send that of its payment.',
        );
      }
      return linkRefunds(transactions).listRefundsOf(payment);
    }
    default:
      return part satisfies never;
  }
}
