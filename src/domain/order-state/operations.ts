/**
 * Captures and voids that were requested here: which payment each belongs to, and what became of it. Pure, and a function of
 * the requests and of what the provider reports. Contract 16.
 */
import { isDeepStrictEqual } from 'node:util';
import { isTakenBack } from '../payments/fold-payment.ts';
import { findVoid, foldOperation, type RequestedOperation } from '../payments/operation.ts';
import { type CallResult, updateCall } from '../payments/start.ts';
import { type Payment, setFlag, type Transaction } from '../payments/transaction.ts';
import { paymentsOf } from './matching.ts';

/** Gives each payment what became of its captures and voids, and the flags that follow. */
export function relateOperations(
  transactions: readonly Transaction[],
  requested: readonly RequestedOperation[] = [],
): readonly Transaction[] {
  if (requested.length === 0) return transactions;
  const payments = paymentsOf(transactions);
  const byPayment = Map.groupBy(requested, (operation) => findPayment(payments, operation));
  return transactions.map((entry) => {
    if (entry.type === 'refund') return entry;
    const own = byPayment.get(entry) ?? [];
    if (own.length === 0 && entry.operations === null) return entry;
    const found = own.toSorted(oldestFirst).map((each) => foldOperation(each, entry));
    const operations = found.length === 0 ? null : found;
    const isSame = isDeepStrictEqual(operations, entry.operations);
    return withVoidFlags(isSame ? entry : { ...entry, operations }, own);
  });
}

function oldestFirst(a: RequestedOperation, b: RequestedOperation): number {
  return a.atMs - b.atMs || (a.operationId < b.operationId ? -1 : 1);
}

/** A payment is named by its own id at the provider; that of the authorisation may be known later than its capture. */
function findPayment(
  payments: readonly Payment[],
  { provider, paymentPspId, transactionId }: RequestedOperation,
): Payment | undefined {
  return (
    payments.find(
      (entry) => entry.provider === provider && entry.pspTransactionId === paymentPspId,
    ) ?? payments.find((entry) => entry.transactionId === transactionId)
  );
}

/** A payment that the shop itself voided is no surprise; one that was captured although it was voided is. */
function withVoidFlags(payment: Payment, requested: readonly RequestedOperation[]): Payment {
  const isWanted = findVoid(payment) !== undefined;
  // Without a call there is nobody to refuse the void, so the capture decided against it. Contract 16.5.
  const wasIgnored = requested.some(({ kind, pspId }) => kind === 'void' && pspId === undefined);
  const isCaptured = payment.status === 'succeeded';
  const reversed = setFlag(payment, 'payment_reversed', isTakenBack(payment) && !isWanted);
  return setFlag(reversed, 'captured_after_void', wasIgnored && isCaptured);
}

/** Adds the result of a call to the operation it was about. */
export function addOperationResult(
  requested: readonly RequestedOperation[],
  operationId: string,
  result: CallResult,
): readonly RequestedOperation[] {
  return requested.map((operation) =>
    operation.operationId === operationId ? updateCall(operation, result) : operation,
  );
}
