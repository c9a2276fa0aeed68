/**
 * Which consumer an order is for. An order token must not reveal whether a phone number belongs to a customer of the
 * shop, so a consumer set by an order token gets an id that is valid for this order only. Contract 2.9 and 11.2.
 */
import { ServiceError } from '../errors.ts';
import type { Order, User } from './order.ts';

export type ConsumerIds = {
  /** The same in all orders of the account, so it links them. */
  readonly ofAccount: string;
  /** Valid for one order; links it to no other. */
  readonly ofOrder: string;
};

export type ChangedBy = 'merchant' | 'order';

type ConsumerLink = Pick<Order, 'userId' | 'restricted'>;

/** Restricts the order to a consumer. For the same consumer, details that are not given stay. */
export function linkConsumer(order: Order, user: User, ids: ConsumerIds, by: ChangedBy) {
  const known = isSame(order, ids) ? order.details.user : undefined;
  return {
    ...order,
    userId: decideConsumerId(order, ids, by),
    restricted: true,
    details: { ...order.details, user: { ...known, ...user } },
  };
}

export function decideConsumerId(order: ConsumerLink, ids: ConsumerIds, by: ChangedBy): string {
  if (order.restricted) {
    if (isSame(order, ids)) return order.userId;
    throw new ServiceError(
      'ORDER_CONFLICT',
      'The order is restricted to another consumer: create a new order for this one.',
    );
  }
  if (by === 'merchant') return ids.ofAccount;
  // A consumer set by the merchant keeps the account-wide id when an order token repeats them.
  return order.userId === ids.ofAccount ? ids.ofAccount : ids.ofOrder;
}

function isSame(
  order: ConsumerLink,
  { ofAccount, ofOrder }: ConsumerIds,
): order is ConsumerLink & { readonly userId: string } {
  return order.userId === ofAccount || order.userId === ofOrder;
}

/** How to reach the consumer of an order, as far as the order says. */
export type ConsumerContact = {
  readonly email?: string;
  /** With the country code: `+919876543210`. */
  readonly phone?: string;
};

export function contactOf(user: User | undefined): ConsumerContact {
  const { email, countryCode, mobileNumber } = user ?? {};
  return {
    ...(email !== undefined && { email }),
    ...(mobileNumber !== undefined && { phone: `${countryCode}${mobileNumber}` }),
  };
}
