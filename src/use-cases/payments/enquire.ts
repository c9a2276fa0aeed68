/** Reads the current status of an order and of its transactions. Contract 5. */
import { type Account, liveSecrets, type SignatureVersion } from '../../domain/accounts/account.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import {
  findLatestRefundOf,
  linkRefunds,
  type RefundLinks,
  refundTypeOf,
} from '../../domain/transactions/refund-links.ts';
import { settleTransactions } from '../../domain/transactions/settle.ts';
import { isFinal, type Refund, type Transaction } from '../../domain/transactions/transaction.ts';
import { getProvider } from '../../providers/providers.ts';
import { markOf } from '../../security/compare.ts';
import type { Caller } from '../../security/tokens.ts';
import { signTransaction } from '../../security/transaction-signature.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { type EnquiredIds, getNamedOrder } from '../orders/get-named-order.ts';
import { pollOnEnquiry } from './poll-on-enquiry.ts';

type Needs = NeedsOf<typeof getNamedOrder> &
  NeedsOf<typeof pollOnEnquiry> & {
    readonly accounts: AccountDirectory;
    readonly clock: Clock;
  };

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
  readonly shown: readonly EnquiredTransaction[];
};

/**
 * An enquiry signs final statuses only (contract 5.4). A result that is sent to the shop is signed in every status by
 * v3, whose signature covers the status, and in final statuses by v2, whose signature does not (contract 11.10).
 */
export type Signing = {
  readonly account: Account;
  readonly accessSecret: string;
  readonly signs: 'final statuses' | 'what v3 covers';
};

export async function enquire(services: Needs, caller: Caller, ids: EnquiredIds): Promise<Enquiry> {
  const account = await services.accounts.get(caller.accountId);
  const found = await getNamedOrder(services, caller, ids);
  const { order } = found;
  // The order may have lapsed since it was stored. The sweep saves that within a minute.
  const transactions = settleTransactions(found, services.clock());
  pollOnEnquiry(services, account, found);
  const { transactionId } = ids;
  const shown = transactions
    .filter((entry) => transactionId === undefined || entry.transactionId === transactionId)
    .sort(byStart);
  const accessSecret = signingSecret(services, account, caller);
  return enquiryOf(order, transactions, shown, { account, accessSecret, signs: 'final statuses' });
}

/** `shown` are the transactions of the reply; all `transactions` decide how refunds and payments are linked. */
export function enquiryOf(
  order: Order,
  transactions: readonly Transaction[],
  shown: readonly Transaction[],
  signing: Signing,
): Enquiry {
  const links = linkRefunds(transactions);
  return {
    order,
    transactions,
    signatureVersion: signing.account.signatureVersion,
    shown: shown.map((transaction) => {
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

/** During a rotation, signs with the secret that the caller used: it may not have the other one. */
function signingSecret({ clock }: Needs, account: Account, caller: Caller): string {
  const secrets = liveSecrets(account, 'access-secret', clock());
  const mark = caller.type === 'merchant' ? caller.secretMark : undefined;
  return secrets.find((secret) => markOf(secret) === mark) ?? secrets[0] ?? '';
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

/** Contract 5.2. Several payments of one provider's order may have the same start time. */
function byStart(a: Transaction, b: Transaction): number {
  return (
    (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0) ||
    (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0) ||
    ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1)
  );
}
