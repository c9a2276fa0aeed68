/** Limits how often an order's own tokens may change it, so that its history stays bounded. Contract 2.9. */
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Caller } from '../../security/tokens.ts';
import { addTokenChange } from '../../store/orders/orders.ts';

/** Call it under the order's lock, before the change. */
export async function countTokenChange(
  tx: Transaction,
  caller: Caller,
  order: Order,
): Promise<void> {
  if (caller.type === 'merchant') return;
  if (await addTokenChange(tx, order, limits.orderTokenChangesMax)) return;
  throw new ServiceError(
    'RATE_LIMITED',
    `The order was changed ${limits.orderTokenChangesMax} times with its own tokens: use a merchant token from generate-token.`,
  );
}
