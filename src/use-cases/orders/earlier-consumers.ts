/**
 * The consumers an order had before it was changed. They are stored as keyed digests, so that erasing a consumer finds
 * the order. Contract 8.7.
 */
import type { Account } from '../../domain/accounts/account.ts';
import {
  addEarlierConsumer,
  type Consumer,
  identifiersOf,
} from '../../domain/consumers/erased-consumer.ts';
import type { EarlierConsumer, Order } from '../../domain/orders/order.ts';
import { consumerDataKeyOf } from '../../services/consumer-data-key.ts';

/** Adds the e-mail address and phone number that the change removes, as digests. */
export function withEarlierConsumers<Changed extends Order>(
  account: Account,
  before: Order,
  after: Changed,
): Changed {
  const known = before.earlierConsumers ?? [];
  const { userId, details } = before;
  const digest = (identifier: string) => digestOf(account, identifier);
  const earlier = addEarlierConsumer(
    known,
    { userId, user: details.user },
    after.details.user,
    digest,
  );
  return earlier === known ? after : { ...after, earlierConsumers: earlier };
}

/** Returns the entries of an order's earlier consumers that match the given consumer. */
type FindEarlier = (earlier: Order['earlierConsumers']) => readonly EarlierConsumer[];

export function createFindEarlier(account: Account, consumer: Consumer): FindEarlier {
  const digests = new Set(
    identifiersOf(consumer).map((identifier) => digestOf(account, identifier)),
  );
  return (earlier) => earlier?.filter(({ digest }) => digests.has(digest)) ?? [];
}

function digestOf(account: Account, identifier: string): string {
  return consumerDataKeyOf(account).digest(`earlier ${identifier}`).toString('base64url');
}
