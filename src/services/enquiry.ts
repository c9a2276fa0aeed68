/** An order with its transactions as merchants see them: types, links of refunds, signatures. Contract 5.3 to 5.5. */
import type { Account, SignatureVersion } from '../domain/accounts/account.ts';
import {
  findLatestRefundOf,
  linkRefunds,
  type RefundLinks,
  refundTypeOf,
} from '../domain/order-state/refund-links.ts';
import type { Order } from '../domain/orders/order.ts';
import { isFinal, type Refund, type Transaction } from '../domain/payments/transaction.ts';
import { getProvider } from '../providers/providers.ts';
import { signTransaction } from '../security/transaction-signature.ts';

export const transactionTypes = ['payment', 'full_refund', 'partial_refund'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export type EnquiredTransaction = {
  readonly transaction: Transaction;
  readonly transactionType: TransactionType;
  readonly providerName: string;
  readonly paymentMode: string | null;
  /** Null for a status that is not signed. Contract 5.4 and 11.10. */
  readonly signature: string | null;
  /** Set for payments only. */
  readonly latestRefund: Refund | undefined;
};

export type Enquiry = {
  readonly order: Order;
  readonly signatureVersion: SignatureVersion;
  readonly transactions: readonly Transaction[];
  /** The requested transaction, or all of them, oldest first. */
  readonly enquired: readonly EnquiredTransaction[];
};

/**
 * An enquiry signs final statuses only (contract 5.4). A result that is sent to the shop is signed in every status by
 * v3, whose signature covers the status, and in final statuses by v2, whose signature does not (contract 11.10).
 */
type Signing = {
  readonly account: Account;
  readonly accessSecret: string;
  readonly signs: 'final statuses' | 'what v3 covers';
};

/** `requested` are the transactions of the reply; all `transactions` decide how refunds and payments are linked. */
export function enquiryOf(
  order: Order,
  transactions: readonly Transaction[],
  requested: readonly Transaction[],
  signing: Signing,
): Enquiry {
  const links = linkRefunds(transactions);
  return {
    order,
    transactions,
    signatureVersion: signing.account.signatureVersion,
    enquired: requested.map((transaction) => {
      const transactionType = typeOf(transaction, links, order);
      return {
        transaction,
        transactionType,
        providerName: getProvider(transaction.provider).displayName,
        paymentMode: paymentModeOf(transaction),
        signature: sign(order, transaction, transactionType, signing),
        latestRefund:
          transaction.type === 'payment' ? findLatestRefundOf(transaction, links) : undefined,
      };
    }),
  };
}

function paymentModeOf(transaction: Transaction): string | null {
  if (transaction.type === 'refund') return null;
  return transaction.paymentMode ?? getProvider(transaction.provider).paymentModeOtherwise;
}

function typeOf(transaction: Transaction, links: RefundLinks, order: Order): TransactionType {
  return transaction.type === 'payment'
    ? 'payment'
    : refundTypeOf(transaction, links, order.amounts.total);
}

function sign(
  { invoiceId }: Order,
  { transactionId, amount, currency, status }: Transaction,
  transactionType: TransactionType,
  { account: { signatureVersion }, accessSecret, signs }: Signing,
): string | null {
  const isCovered = signs === 'what v3 covers' && signatureVersion === 'v3';
  if (!(isFinal(status) || isCovered) || amount === null || currency === null) return null;
  return signTransaction(
    { invoiceId, transactionId, amount, currency, status, transactionType },
    signatureVersion,
    accessSecret,
  );
}
