/** Masks card numbers in a merchant's refund request id before it is stored. Contract 8.5. */
import type { Account } from '../../domain/accounts/account.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { consumerDataKeyOf } from '../../services/consumer-data-key.ts';

/**
 * Two different ids may have the same mask, so a digest keeps them distinct. The digest is keyed, so that nobody can
 * recover the digits by trying all of them.
 */
export function storableRequestId(account: Account, sent: string): string {
  const masked = maskCardNumbers(sent);
  if (masked === sent) return sent;
  return `${masked}~${consumerDataKeyOf(account).digest(sent).toString('hex').slice(0, 16)}`;
}
