/**
 * Which consumer an order is for. An order token must not find out whether a phone number belongs to a customer
 * of the shop: a consumer it names gets an id that is good for this order alone. Contract 2.9 and 11.2.
 */
import { ServiceError } from '../errors.ts';
import type { Order, OrderDetails, User } from './order.ts';

/** The two ids that a consumer may have. */
export type ConsumerIds = {
  /** The same in all orders of the account: it leads to what the consumer did before. */
  readonly ofAccount: string;
  /** Good for one order: it leads nowhere. */
  readonly ofOrder: string;
};

/** By whose token an order is changed. */
export type ChangedBy = 'merchant' | 'order';

type NamedOrder = Pick<Order, 'userId' | 'restricted'>;

export type LinkedOrder = Order & {
  readonly userId: string;
  readonly details: OrderDetails & { readonly user: User };
};

/** Ties the order to a consumer. Details that are not given stay when it is the same consumer. */
export function linkConsumer(
  order: Order,
  user: User,
  ids: ConsumerIds,
  by: ChangedBy,
): LinkedOrder {
  const known = isSame(order, ids) ? order.details.user : undefined;
  return {
    ...order,
    userId: decideConsumerId(order, ids, by),
    restricted: true,
    details: { ...order.details, user: { ...known, ...user } },
  };
}

export function decideConsumerId(order: NamedOrder, ids: ConsumerIds, by: ChangedBy): string {
  if (order.restricted) {
    if (isSame(order, ids)) return order.userId;
    throw new ServiceError(
      'ORDER_CONFLICT',
      'The order is restricted to another consumer: create a new order for this one.',
    );
  }
  if (by === 'merchant') return ids.ofAccount;
  // Whom the merchant named, the consumer may name again.
  return order.userId === ids.ofAccount ? ids.ofAccount : ids.ofOrder;
}

function isSame(
  order: NamedOrder,
  { ofAccount, ofOrder }: ConsumerIds,
): order is NamedOrder & { readonly userId: string } {
  return order.userId === ofAccount || order.userId === ofOrder;
}
