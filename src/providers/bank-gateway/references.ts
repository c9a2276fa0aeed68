/** The ids by which a gateway's notification may name its order. */
import type { References } from '../../domain/payments/notice.ts';
import { references, type WireObject } from '../wire.ts';

/** `order.id` may be any of our three ids; the references count only if it is none of them. */
export function readReferences(
  orderId: string,
  order: WireObject,
  transaction: WireObject,
): References {
  const anyOf = (ids: string[]) => ({ transactionIds: ids, orderIds: ids, invoiceIds: ids });
  const others = references(order.reference, transaction.reference);
  return {
    ...anyOf([orderId]),
    providerOrderId: orderId,
    fallbacks: others.map((other) => anyOf([other])),
  };
}
