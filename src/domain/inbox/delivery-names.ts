/** The names that connect deliveries: one delivery makes a name known, another is parked until it is known. */
import { isVoid, type Notice, type OrderReferences } from '../transactions/notice.ts';

/** Everything by which the order may be found once it exists. */
export function listNames(names: OrderReferences): string[] {
  const { references } = names;
  const all = [references, ...(references.fallbacks ?? [])];
  const ours = all.flatMap(({ orderIds, invoiceIds }) => [...orderIds, ...invoiceIds]);
  return [...new Set([...ours, ...listNewNames(names)])];
}

/** The names that applying the delivery makes known. Our own ids of the order are known since it was created. */
export function listNewNames(notice: OrderReferences): string[] {
  const { references, payment, refund } = notice;
  const names = new Set<string | undefined>();
  for (const { transactionIds, providerOrderId } of [references, ...(references.fallbacks ?? [])]) {
    for (const transactionId of transactionIds) names.add(transactionId);
    names.add(providerOrderId);
  }
  names.add(payment?.pspTransactionId).add(payment?.targetPspId);
  names.add(refund?.pspTransactionId).add(refund?.paymentPspId);
  const pspOrder = payment?.pspOrder ?? refund?.paymentPspOrder;
  if (pspOrder !== undefined && !isVoid(notice)) {
    names.add(anyRecordOf(pspOrder));
  }
  return [...names].filter((name) => name !== undefined);
}

/**
 * A void is parked for the record it names, or for any record of its order where it names none; and for another
 * notice of the same void, which may name the target.
 */
export function listTargetNames({ payment, refund }: Notice): string[] {
  const record = payment ?? refund;
  const pspOrder = payment?.pspOrder ?? refund?.paymentPspOrder ?? '';
  return [record?.targetPspId ?? anyRecordOf(pspOrder), record?.pspTransactionId ?? ''];
}

/** Cannot be the name of a record: it ends where the transaction id would follow. */
function anyRecordOf(pspOrder: string): string {
  return `${pspOrder}|`;
}
