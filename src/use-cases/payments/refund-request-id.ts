/** A merchant's reference of a refund as it may be stored. Contract 8.5. */
import type { Account } from '../../domain/accounts/account.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { consumerDataKeyOf } from '../../services/consumer-data-key.ts';

/**
 * It is text of the merchant, so what looks like a card number is masked. Two ids may share a mask, and must stay two:
 * a keyed digest tells them apart, and nobody without the key finds the digits by trying.
 */
export function storableRequestId(account: Account, sent: string): string {
  const masked = maskCardNumbers(sent);
  if (masked === sent) return sent;
  return `${masked}~${consumerDataKeyOf(account).digest(sent).toString('hex').slice(0, 16)}`;
}
