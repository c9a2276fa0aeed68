/**
 * The bank account that an order must be paid from. It is stored sealed; only the call that starts a payment gets it in
 * clear, and everybody else its last digits. Contract 3.14.
 */
import type { Account } from '../domain/accounts/account.ts';
import { lastDigits } from '../domain/consumers/mask.ts';
import { erasedMarker } from '../domain/consumers/scrub.ts';
import type { BankAccount, Order } from '../domain/orders/order.ts';
import { consumerDataKeyOf, openBankAccount } from './consumer-data-key.ts';

/** What may be shown of it. */
type ShownBankAccount = {
  /** At most four; empty if there is no number, or one so short that they would reveal it. */
  readonly lastDigits: string;
  /** The first four letters of the IFSC, which name the bank. */
  readonly bank: string | undefined;
};

/** Undefined if the order has none, or it was erased. */
export function findBankAccount(
  account: Account,
  { orderId, details: { bankAccount } }: Pick<Order, 'orderId' | 'details'>,
): BankAccount | undefined {
  if (bankAccount === undefined || isErasedAccount(bankAccount)) return undefined;
  if (typeof bankAccount !== 'string') return bankAccount;
  return openBankAccount(consumerDataKeyOf(account), orderId, bankAccount);
}

export function findShownBankAccount(
  account: Account,
  order: Pick<Order, 'orderId' | 'details'>,
): ShownBankAccount | undefined {
  const found = findBankAccount(account, order);
  if (!found) return undefined;
  return { lastDigits: lastDigits(found.accountNumber ?? ''), bank: found.ifsc?.slice(0, 4) };
}

/** Contract 8.7. */
export function isErasedAccount(bankAccount: Order['details']['bankAccount']): boolean {
  return bankAccount === erasedMarker;
}
