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

export type OrderNames = { readonly orderId?: string; readonly invoiceId?: string };

export async function getOrder(
  services: Services,
  caller: Caller,
  names: OrderNames,
): Promise<FoundOrder> {
  const order = await lookUp(services, caller.accountId, names);
  // Before anything is said about it: another order does not exist for an order token.
  if (!order || !isOpenTo(caller, order)) throw notFound(names);
  if (names.invoiceId !== undefined && order.invoiceId !== names.invoiceId) {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      'order_id and invoice_id name two different orders: send one of them, or two that belong together.',
    );
  }
  const mayRenew = caller.type === 'merchant' || isOpen(orderStatus(order, services.clock()));
  return { order, token: mayRenew ? await issueOrderToken(services, order) : undefined };
}

export function isOpenTo(caller: Caller, order: Pick<Order, 'orderId'>): boolean {
  return caller.type === 'merchant' || caller.orderId === order.orderId;
}

async function lookUp(
  { database }: Services,
  accountId: string,
  { orderId, invoiceId }: OrderNames,
): Promise<Order | undefined> {
  if (orderId !== undefined) {
    return isOrderId(orderId) ? findOrder(database, accountId, orderId) : undefined;
  }
  if (invoiceId === undefined) {
    throw new ServiceError('INVALID_REQUEST_PARAMETER', 'Send order_id or invoice_id.');
  }
  return findOrderByInvoice(database, accountId, invoiceId);
}

function notFound({ orderId }: OrderNames): ServiceError {
  return new ServiceError(orderId === undefined ? 'INVOICE_NOT_FOUND' : 'ORDER_NOT_FOUND');
}
