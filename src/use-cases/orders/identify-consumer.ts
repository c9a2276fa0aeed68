/** Derives the `user_id` of a consumer of an account. Contract 3.6. */
import type { Account } from '../../domain/accounts/account.ts';
import type { ConsumerIds } from '../../domain/orders/consumer.ts';
import type { User } from '../../domain/orders/order.ts';
import { consumerIdOf } from '../../security/consumer-id.ts';

export function identifyConsumer(account: Account, user: User): string {
  return consumerIdOf(user, consumerIdKeyOf(account));
}

/** Derives both ids of a consumer: the one for the whole account and the one for this order only. Contract 2.9. */
export function identifyInOrder(account: Account, orderId: string, user: User): ConsumerIds {
  const key = consumerIdKeyOf(account);
  return { ofAccount: consumerIdOf(user, key), ofOrder: consumerIdOf(user, `${key}/${orderId}`) };
}

function consumerIdKeyOf({ accountId, secrets }: Account): string {
  const key = secrets['consumer-id-key']?.[0];
  if (!key) throw new Error(`account ${accountId} has no consumer id key`);
  return key.value;
}
