/** Who the consumer of an order is, and who it was before a change. Contract 3.6 and 8.7. */
import type { Account } from '../../domain/accounts/account.ts';
import {
  addEarlierConsumer,
  type Consumer,
  identifiersOf,
} from '../../domain/consumers/erased-consumer.ts';
import type { ConsumerIds } from '../../domain/orders/consumer.ts';
import type { Order, User } from '../../domain/orders/order.ts';
import { consumerIdOf } from '../../security/consumer-id.ts';
import { consumerDataKeyOf, consumerIdKeyOf } from '../../services/consumer-data-key.ts';

export function identifyConsumer(account: Account, user: User): string {
  return consumerIdOf(user, consumerIdKeyOf(account));
}

/** Derives both ids of a consumer: the one for the whole account and the one for this order only. Contract 2.9. */
export function identifyInOrder(account: Account, orderId: string, user: User): ConsumerIds {
  const key = consumerIdKeyOf(account);
  return { ofAccount: consumerIdOf(user, key), ofOrder: consumerIdOf(user, `${key}/${orderId}`) };
}

/**
 * The consumers an order had before it was changed. They are stored as keyed digests, so that erasing a consumer finds
 * the order. Contract 8.7. Adds the e-mail address and phone number that the change removes, as digests.
 */
export function withEarlierConsumers<Changed extends Order>(
  account: Account,
  before: Order,
  after: Changed,
): Changed {
  const known = before.earlierConsumers ?? [];
  const { userId, details } = before;
  const former = { userId, user: details.user };
  const digest = (identifier: string) => digestOf(account, identifier);
  const earlier = addEarlierConsumer(known, former, after.details.user, digest);
  return earlier === known ? after : { ...after, earlierConsumers: earlier };
}

/** The entries of an order's earlier consumers that match the given consumer. */
export function createFindEarlier(account: Account, consumer: Consumer) {
  const digests = new Set(identifiersOf(consumer).map((one) => digestOf(account, one)));
  return (earlier: Order['earlierConsumers'] | null) =>
    earlier?.filter(({ digest }) => digests.has(digest)) ?? [];
}

function digestOf(account: Account, identifier: string): string {
  return consumerDataKeyOf(account).digest(`earlier ${identifier}`).toString('base64url');
}
