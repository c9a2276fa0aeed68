/** How far the walks over the deliveries of a state have come. A cursor outlives its process. */
import type { Queryable } from '../postgres/database.ts';

/** The last delivery that was visited. */
export type DeliveryCursor = { readonly accountId: string; readonly deliveryId: string };

export const firstDelivery: DeliveryCursor = { accountId: '', deliveryId: '' };

export async function findDeliveryCursor(
  database: Queryable,
  name: string,
): Promise<DeliveryCursor> {
  // The table has one column for the id of whatever is walked, named after the first walk, which was over orders.
  const { rows } = await database.query<{ account_id: string; order_id: string }>({
    text: 'select account_id, order_id from sweep_cursors where name = $1',
    values: [name],
  });
  const [row] = rows;
  return row ? { accountId: row.account_id, deliveryId: row.order_id } : firstDelivery;
}

export async function saveDeliveryCursor(
  database: Queryable,
  name: string,
  { accountId, deliveryId }: DeliveryCursor,
): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position) values ($1, $2, $3, 0)
           on conflict (name) do update set account_id = excluded.account_id, order_id = excluded.order_id`,
    values: [name, accountId, deliveryId],
  });
}
