/** Locks an order that the caller may see, so that nothing else changes it until the transaction ends. */
import { isOrderId } from '../../domain/ids.ts';
import { refuseClosed } from '../../domain/orders/order-update.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';
import type { WholeOrder } from '../../store/order-rows.ts';
import { lockOrder } from '../../store/orders/orders.ts';
import { checkAccess, isOpenTo } from './order-access.ts';

export async function lockOpenOrder(
  tx: Transaction,
  services: Pick<Services, 'clock'>,
  caller: Caller,
  orderId: string,
): Promise<WholeOrder> {
  const order = await lockVisibleOrder(tx, caller, orderId);
  refuseClosed(order, services.clock());
  return order;
}

/** Also locks an order that is closed to changes. */
export async function lockVisibleOrder(
  tx: Transaction,
  caller: Caller,
  orderId: string,
): Promise<WholeOrder> {
  // An order token must not be able to hold a lock on another order.
  const isVisible = isOrderId(orderId) && isOpenTo(caller, { orderId });
  const found = isVisible ? await lockOrder(tx, caller.accountId, orderId) : undefined;
  return checkAccess(caller, found, 'ORDER_NOT_FOUND');
}
