/** The names that connect deliveries: one delivery makes a name known, another is parked until it is known. */
import { isVoid, type Notice, type OrderReferences } from '../payments/notice.ts';

/** Everything by which the order may be found once it exists. */
export function listNames(names: OrderReferences): string[] {
  const { references } = names;
  const all = [references, ...(references.fallbacks ?? [])];
  const ours = all.flatMap(({ orderIds, invoiceIds }) => [...orderIds, ...invoiceIds]);
  return [...new Set([...ours, ...listNewNames(names)])];
}

/** The names that applying the delivery makes known. Our own ids of the order are known since it was created. */
export function listNewNames(notice: OrderReferences): string[] {
  const { references, payment, refund, dispute } = notice;
  // The records that a notice is about. Only providers with orders of their own report voids.
  const ofPayment = [payment?.pspTransactionId, payment?.targetPspId];
  const ofRefund = [refund?.pspTransactionId, refund?.paymentPspId];
  const ofAll = [...ofPayment, ...ofRefund, dispute?.paymentPspId];
  const records = ofAll.filter((name) => name !== undefined);
  const names = new Set<string | undefined>();
  for (const { transactionIds, providerOrderId } of [references, ...(references.fallbacks ?? [])]) {
    for (const transactionId of transactionIds) names.add(transactionId);
    names.add(providerOrderId);
  }
  for (const record of records) names.add(record);
  const pspOrder = payment?.pspOrder ?? refund?.paymentPspOrder;
  if (pspOrder !== undefined) {
    for (const record of records) names.add(asTarget(record));
    if (!isVoid(notice)) names.add(asTarget(pspOrder));
  }
  return [...names].filter((name) => name !== undefined);
}

/**
 * A void is parked for the record it names, and for any record of its order: a capture that names no payment may be the
 * one that it cancels. Also for another notice of the same void, which may name the target. These names are none of an
 * order or a payment: those may be known already although the void has no target, and then they must not make it due.
 */
export function listTargetNames({ payment, refund, dispute }: Notice): string[] {
  // A dispute waits for its payment, or for any payment of the provider's order if it names none.
  if (dispute?.paymentPspId !== undefined) return [dispute.paymentPspId];
  if (dispute) return [dispute.paymentPspOrder ?? dispute.disputeId].map(asTarget);
  const record = payment ?? refund;
  const pspOrder = payment?.pspOrder ?? refund?.paymentPspOrder;
  return [record?.targetPspId, pspOrder, record?.pspTransactionId]
    .filter((name) => name !== undefined)
    .map(asTarget);
}

/** Cannot be the id of a record: it ends where the transaction id would follow. */
const asTarget = (name: string): string => `${name}|`;
