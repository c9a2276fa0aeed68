/** Finds an order by its id or its invoice, for a merchant or for the order's own token. */
import { ServiceError } from '../domain/errors.ts';
import { isOrderId } from '../domain/ids.ts';
import { isOpen, type Order, orderStatus } from '../domain/order.ts';
import type { Caller, IssuedToken } from '../security/tokens.ts';
import { findOrder, findOrderByInvoice } from '../store/orders.ts';
import { issueOrderToken } from './order-tokens.ts';
import type { Services } from './services.ts';

export type FoundOrder = {
  readonly order: Order;
  /** An order token may not prolong its own life beyond that of the open order. */
  readonly token: IssuedToken | undefined;
};

export async function getOrder(
  services: Services,
  caller: Caller,
  ids: { readonly orderId?: string; readonly invoiceId?: string },
): Promise<FoundOrder> {
  const order = await lookUp(services, caller.accountId, ids);
  if (caller.type !== 'merchant' && caller.orderId !== order.orderId) throw notFound(ids);
  const mayRenew = caller.type === 'merchant' || isOpen(orderStatus(order, services.clock()));
  return { order, token: mayRenew ? await issueOrderToken(services, order) : undefined };
}

async function lookUp(
  services: Services,
  accountId: string,
  ids: { readonly orderId?: string; readonly invoiceId?: string },
): Promise<Order> {
  const { orderId, invoiceId } = ids;
  if (orderId !== undefined) {
    const order = isOrderId(orderId)
      ? await findOrder(services.database, accountId, orderId)
      : undefined;
    if (!order) throw notFound(ids);
    if (invoiceId !== undefined && order.invoiceId !== invoiceId) {
      throw new ServiceError(
        'INVALID_REQUEST_PARAMETER',
        'order_id and invoice_id name two different orders: send one of them, or two that belong together.',
      );
    }
    return order;
  }
  if (invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send order_id or invoice_id.');
  }
  const order = await findOrderByInvoice(services.database, accountId, invoiceId);
  if (!order) throw notFound(ids);
  return order;
}

function notFound(ids: { readonly orderId?: string }): ServiceError {
  return new ServiceError(ids.orderId === undefined ? 'INVOICE_NOT_FOUND' : 'ORDER_NOT_FOUND');
}
