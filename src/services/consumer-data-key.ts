/** The key that encrypts an account's consumer data at rest. */
import type { Account } from '../domain/accounts/account.ts';
import type { BankAccount, Order, OrderDetails } from '../domain/orders/order.ts';
import { type ConsumerDataKey, createConsumerDataKey } from '../security/consumer-data-key.ts';

export function consumerDataKeyOf(account: Account): ConsumerDataKey {
  return createConsumerDataKey(account.accountId, consumerIdKeyOf(account));
}

export function consumerIdKeyOf({ accountId, secrets }: Account): string {
  const secret = secrets['consumer-id-key']?.[0];
  if (!secret) throw new Error(`account ${accountId} has no consumer id key`);
  return secret.value;
}

/**
 * Encrypts the bank account of an order, and keys the digest of its content. The rest of the content is in the same
 * row, so a digest without a key would reveal the account number to anyone who tries all numbers. Orders without a bank
 * account are returned unchanged.
 */
export function sealContent(
  account: Account,
  orderId: string,
  details: OrderDetails,
  contentDigest: Buffer,
): Pick<Order, 'details' | 'contentDigest'> {
  const { bankAccount } = details;
  if (bankAccount === undefined || typeof bankAccount === 'string') {
    return { details, contentDigest };
  }
  const key = consumerDataKeyOf(account);
  const sealed = key.seal(JSON.stringify(bankAccount), rowOfBankAccount(orderId));
  return {
    details: { ...details, bankAccount: sealed },
    contentDigest: key.digest(contentDigest),
  };
}

export function openBankAccount(key: ConsumerDataKey, orderId: string, sealed: string) {
  return JSON.parse(key.open(sealed, rowOfBankAccount(orderId))) as BankAccount;
}

function rowOfBankAccount(orderId: string): string {
  return `${orderId}/bank-account`;
}
