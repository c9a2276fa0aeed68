/** Finds the order that the ids of a request refer to. Contract 5.1. */
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import type { OrderWithTransactions } from '../../store/orders/enquiry.ts';
import { checkAccess } from './order-access.ts';

export type EnquiredIds = {
  readonly transactionId?: string;
  readonly orderId?: string;
  readonly invoiceId?: string;
};

/** All given ids must refer to one order. Without any id, an order token refers to its own order. Contract 2.10. */
export async function getNamedOrder(
  { batches }: Pick<Services, 'batches'>,
  caller: Caller,
  ids: EnquiredIds,
): Promise<OrderWithTransactions> {
  const { accountId } = caller;
  const hasNoId = Object.values(ids).every((id) => id === undefined);
  const orderId = hasNoId && caller.type === 'order' ? caller.orderId : ids.orderId;
  const given = [
    { name: 'transaction_id', id: ids.transactionId, unknown: 'TRANSACTION_NOT_FOUND' },
    { name: 'order_id', id: orderId, unknown: 'ORDER_NOT_FOUND' },
    { name: 'invoice_id', id: ids.invoiceId, unknown: 'INVOICE_NOT_FOUND' },
  ] as const;
  let first: { name: string; found: OrderWithTransactions } | undefined;
  for (const { name, id, unknown } of given) {
    if (id === undefined) continue;
    const found = await batches.findOrderWithTransactions({ accountId, idName: name, id });
    if (!found) throw new ServiceError(unknown);
    checkAccess(caller, found.order, unknown);
    if (first && first.found.order.orderId !== found.order.orderId) {
      throw new ServiceError(
        'INVALID_REQUEST_PARAMETER',
        `${first.name} and ${name} do not belong together: they name two different orders. Send one of them.`,
      );
    }
    first ??= { name, found };
  }
  if (first) return first.found;
  throw new ServiceError(
    'INVALID_REQUEST_PARAMETER',
    'Send at least one of transaction_id, order_id and invoice_id.',
  );
}
