/** What an order token may change: the consumer's own data, and how the page of the shop goes on. Contract 2.9. */
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../security/tokens.ts';
import { isOpenTo } from '../../use-cases/orders/order-access.ts';

const fieldsOfConsumer = new Set([
  'order_id',
  'user',
  'shipping_address',
  'billing_address',
  'merchant_shopfront_domain',
  'callback_url',
  'callback_mode',
]);

/** Refuses every other field, also one that we do not know: nothing is ignored in silence here. */
export function refuseFieldsOfMerchant(
  caller: Caller,
  orderId: string,
  body: Readonly<Record<string, unknown>>,
): void {
  // Another order does not exist for an order token, whatever it wants to change.
  if (caller.type === 'merchant' || !isOpenTo(caller, { orderId })) return;
  for (const [field, value] of Object.entries(body)) {
    if (fieldsOfConsumer.has(field) || isEmpty(value)) continue;
    throw new ServiceError(
      'PERMISSION_DENIED',
      `An order token may not change ${field}: use a merchant token from generate-token.`,
    );
  }
}

/** What is empty changes nothing, whoever sends it. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '';
}
