/** The names by which deliveries wait for each other: what one makes known, another may be parked for. */
import { isVoid, type Notice, type OrderReferences } from '../../domain/transactions/notice.ts';

/** Everything that could name the order once there is one. */
export function namesOf(names: OrderReferences): string[] {
  const { references } = names;
  const all = [references, ...(references.fallbacks ?? [])];
  const ours = all.flatMap(({ orderIds, invoiceIds }) => [...orderIds, ...invoiceIds]);
  return [...new Set([...ours, ...newNamesOf(names)])];
}

/** What is known of the order from now on. Its own names are known since it was created. */
export function newNamesOf(notice: OrderReferences): string[] {
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
 * What a void waits for: the record it names, or any record of its order; and another notice of itself, which may tell
 * its target or contradict it.
 */
export function targetNamesOf({ payment, refund }: Notice): string[] {
  const said = payment ?? refund;
  const pspOrder = payment?.pspOrder ?? refund?.paymentPspOrder ?? '';
  return [said?.targetPspId ?? anyRecordOf(pspOrder), said?.pspTransactionId ?? ''];
}

/** No record has this name: the pair of an order's id and a transaction's that is empty. */
function anyRecordOf(pspOrder: string): string {
  return `${pspOrder}|`;
}
