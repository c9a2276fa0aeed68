/** Finds an order by its id or its invoice id, for a merchant token or the order's own token. */
import { ServiceError } from '../../domain/errors.ts';
import { isOrderId } from '../../domain/ids.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import { findOrder, findOrderByInvoice } from '../../store/orders/orders.ts';
import { checkAccess, getOrderId } from './order-access.ts';
import { tokenFor } from './order-tokens.ts';

type OrderNames = { readonly orderId?: string; readonly invoiceId?: string };

export async function getOrder(
  services: Pick<Services, 'database' | 'tokens'>,
  caller: Caller,
  names: OrderNames,
) {
  const found = await lookUp(services, caller, names);
  // Checked first: an order token must not learn anything about another order.
  const { orderId, invoiceId } = names;
  const isByInvoice = orderId === undefined && invoiceId !== undefined;
  const order = checkAccess(caller, found, isByInvoice ? 'INVOICE_NOT_FOUND' : 'ORDER_NOT_FOUND');
  if (invoiceId !== undefined && order.invoiceId !== invoiceId) {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      'order_id and invoice_id name two different orders: send one of them, or two that belong together.',
    );
  }
  return { order, token: await tokenFor(services, caller, order) };
}

async function lookUp({ database }: Pick<Services, 'database'>, caller: Caller, names: OrderNames) {
  const { accountId } = caller;
  const { orderId, invoiceId } = names;
  if (orderId !== undefined || (invoiceId === undefined && caller.type === 'order')) {
    const id = getOrderId(caller, orderId);
    return isOrderId(id) ? findOrder(database, accountId, id) : undefined;
  }
  if (invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send order_id or invoice_id.');
  }
  return findOrderByInvoice(database, accountId, invoiceId);
}
