/** The latest status of an order and of the transactions tied to it. Contract 5. */
import { type Account, liveSecrets, type SignatureVersion } from '../../domain/accounts/account.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Clock } from '../../domain/time.ts';
import { findLatestRefundOf, refundTypeOf } from '../../domain/transactions/refund-links.ts';
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

export type TransactionType = 'payment' | 'full_refund' | 'partial_refund';

export type EnquiredTransaction = {
  readonly transaction: Transaction;
  readonly transactionType: TransactionType;
  readonly providerName: string;
  readonly paymentMode: string | null;
  /** Null until the status is final, unless v3 signs every status. Contract 5.4 and 11.10. */
  readonly signature: string | null;
  /** Of a payment. */
  readonly latestRefund: Refund | undefined;
};

export type Enquiry = {
  readonly order: Order;
  readonly signatureVersion: SignatureVersion;
  readonly transactions: readonly Transaction[];
  /** The one that was asked for, or all, oldest first. */
  readonly asked: readonly EnquiredTransaction[];
};

/**
 * Contract 5.4: the enquiry signs final statuses. Contract 11.10: what is sent to the shop is signed by v3 in every
 * status, because v3 covers the status; v2 does not, so it signs final ones.
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
  // Time may have changed what is stored; the sweep writes it down within a minute.
  const transactions = settleTransactions(found, services.clock());
  pollOnEnquiry(services, account, found);
  const { transactionId } = ids;
  const asked = transactions
    .filter((entry) => transactionId === undefined || entry.transactionId === transactionId)
    .sort(byStart);
  const accessSecret = signingSecret(services, account, caller);
  return enquiryOf(order, transactions, asked, { account, accessSecret, signs: 'final statuses' });
}

/** `asked` are those of the transactions that are shown. */
export function enquiryOf(
  order: Order,
  transactions: readonly Transaction[],
  asked: readonly Transaction[],
  signing: Signing,
): Enquiry {
  return {
    order,
    transactions,
    signatureVersion: signing.account.signatureVersion,
    asked: asked.map((transaction) => {
      const transactionType = typeOf(transaction, transactions, order);
      return {
        transaction,
        transactionType,
        providerName: getProvider(transaction.provider).displayName,
        paymentMode: paymentModeOf(transaction),
        signature: sign(order, transaction, transactionType, signing),
        latestRefund:
          transaction.type === 'payment'
            ? findLatestRefundOf(transaction, transactions)
            : undefined,
      };
    }),
  };
}

/** During a rotation, the secret the caller has: it could not check an answer signed with the other. */
function signingSecret({ clock }: Needs, account: Account, caller: Caller): string {
  const secrets = liveSecrets(account, 'access-secret', clock());
  const mark = caller.type === 'merchant' ? caller.secretMark : undefined;
  return secrets.find((secret) => markOf(secret) === mark) ?? secrets[0] ?? '';
}

function paymentModeOf(transaction: Transaction): string | null {
  if (transaction.type === 'refund') return null;
  return transaction.paymentMode ?? getProvider(transaction.provider).paymentModeOtherwise;
}

function typeOf(
  transaction: Transaction,
  transactions: readonly Transaction[],
  order: Order,
): TransactionType {
  return transaction.type === 'payment'
    ? 'payment'
    : refundTypeOf(transaction, transactions, order.amounts.total);
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

/** Contract 5.2. Attempts at one provider's order may share its beginning. */
function byStart(a: Transaction, b: Transaction): number {
  return (
    (a.startedAtMs ?? 0) - (b.startedAtMs ?? 0) ||
    (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0) ||
    ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1)
  );
}
