/** Whom an order was for before it was changed: kept as keyed digests, and found again by them. Contract 8.7. */
import type { Account } from '../../domain/accounts/account.ts';
import type { EarlierConsumer, Order } from '../../domain/orders/order.ts';
import {
  addEarlierConsumer,
  type Consumer,
  identifiersOf,
} from '../../domain/personal-data/erased-consumer.ts';
import { consumerDataKeyOf } from '../../services/consumer-data-key.ts';

/** The changed order, with the e-mail address and phone number that it has lost. */
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

/** Lists those earlier consumers of an order who are this one. */
export type FindEarlier = (earlier: Order['earlierConsumers']) => readonly EarlierConsumer[];

export function createFindEarlier(account: Account, consumer: Consumer): FindEarlier {
  const digests = new Set(
    identifiersOf(consumer).map((identifier) => digestOf(account, identifier)),
  );
  return (earlier) => earlier?.filter(({ digest }) => digests.has(digest)) ?? [];
}

function digestOf(account: Account, identifier: string): string {
  return consumerDataKeyOf(account).digest(`earlier ${identifier}`).toString('base64url');
}
