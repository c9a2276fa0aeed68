/** The `user_id` of a consumer for an account. Decision 3.6. */
import type { Account } from '../domain/account.ts';
import type { User } from '../domain/order.ts';
import { consumerIdOf } from '../security/consumer-id.ts';

export function identifyConsumer(account: Account, user: User): string {
  const key = account.secrets['consumer-id-key'][0];
  if (!key) throw new Error(`account ${account.accountId} has no consumer id key`);
  return consumerIdOf(user, key.value);
}
