/** An order with its transactions as merchants see them: types, links of refunds, signatures. Contract 5.3 to 5.5. */
import type { Account } from '../domain/accounts/account.ts';
import {
  findLatestRefundOf,
  linkRefunds,
  refundTypeOf,
} from '../domain/order-state/refund-links.ts';
import type { Order } from '../domain/orders/order.ts';
import { isFinal, type Transaction } from '../domain/payments/transaction.ts';
import { getProvider } from '../providers/providers.ts';
import { signTransaction } from '../security/transaction-signature.ts';

export const transactionTypes = ['payment', 'full_refund', 'partial_refund'] as const;
type TransactionType = (typeof transactionTypes)[number];

export type Enquiry = ReturnType<typeof enquiryOf>;
export type EnquiredTransaction = Enquiry['enquired'][number];

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
) {
  const links = linkRefunds(transactions);
  return {
    order,
    transactions,
    signatureVersion: signing.account.signatureVersion,
    enquired: requested.map((transaction) => {
      const { displayName, paymentModeOtherwise } = getProvider(transaction.provider);
      const isPayment = transaction.type === 'payment';
      const transactionType: TransactionType = isPayment
        ? 'payment'
        : refundTypeOf(transaction, links, order.amounts.total);
      return {
        transaction,
        transactionType,
        providerName: displayName,
        paymentMode: isPayment ? (transaction.paymentMode ?? paymentModeOtherwise) : null,
        // Null for a status that is not signed. Contract 5.4 and 11.10.
        signature: sign(order, transaction, transactionType, signing),
        latestRefund: isPayment ? findLatestRefundOf(transaction, links) : undefined,
      };
    }),
  };
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
