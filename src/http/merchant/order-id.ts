/** The field `order_id` of the calls about an existing order. */
import { Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import type { Caller } from '../../security/tokens.ts';
import { getOrderId } from '../../use-cases/orders/order-access.ts';

export const orderIdField = Type.Optional(
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: limits.textCharsMax,
    description:
      'Identifier of the order, issued at creation. Required with a merchant token; an order token identifies its order.',
  }),
);

/** Null and empty count as absent. */
export function readOrderId(
  caller: Caller,
  { order_id: given }: { readonly order_id?: string | null },
): string {
  return getOrderId(caller, given || undefined);
}
