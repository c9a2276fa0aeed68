/** The fields that an order token may change: the consumer's own data and where they return to. Contract 2.9. */
import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../../security/tokens.ts';
import { isOpenTo } from '../../use-cases/orders/order-access.ts';

const consumerFields = new Set([
  'order_id',
  'user',
  'shipping_address',
  'billing_address',
  'merchant_shopfront_domain',
  'callback_url',
  'callback_mode',
]);

/** Refuses every other field, unknown ones included: nothing is ignored silently for an order token. */
export function refuseMerchantFields(
  caller: Caller,
  orderId: string,
  body: Readonly<Record<string, unknown>>,
): void {
  // For an order token other orders do not exist: the use case answers 404.
  if (caller.type === 'merchant' || !isOpenTo(caller, { orderId })) return;
  for (const [field, value] of Object.entries(body)) {
    if (consumerFields.has(field) || isEmpty(value)) continue;
    throw new ServiceError(
      'PERMISSION_DENIED',
      `An order token may not change ${field}: use a merchant token from generate-token.`,
    );
  }
}

/** An empty value changes nothing, so anybody may send it. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '';
}
