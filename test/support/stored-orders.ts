/** Stored orders for tests of the store. */
import { newOrderId } from '../../src/domain/ids.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { TestDatabase } from './test-database.ts';

export function storedOrder(
  fields: Pick<Order, 'invoiceId' | 'createdAt'> & Partial<Order>,
): Order {
  const { createdAt } = fields;
  return {
    accountId: 'acc_0123456789abcdef',
    orderId: newOrderId(createdAt),
    savedStatus: 'new',
    attempts: 0,
    amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total: 11_800 },
    conversion: null,
    userId: null,
    restricted: false,
    details: {},
    contentDigest: Buffer.alloc(32, 7),
    lapsesAt: new Date(createdAt.getTime() + 86_400_000),
    flags: [],
    ...fields,
  };
}

/** Stores a callback URL that the API would refuse. */
export async function storeCallback(
  { database }: Pick<TestDatabase, 'database'>,
  orderId: string,
  callbackUrl: string,
): Promise<void> {
  await database.query({
    text: 'update orders set details = (details::jsonb || $2::jsonb)::json where order_id = $1',
    values: [orderId, JSON.stringify({ callbackUrl })],
  });
}
