/** The references that parked deliveries wait for: ids that no order has yet. */
import { defineRows } from '../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';

export async function insertDeliveryReferences(
  tx: Transaction,
  accountId: string,
  deliveryId: string,
  references: readonly string[],
): Promise<void> {
  await tx.query({
    text: `insert into delivery_references (account_id, reference, delivery_id)
           select $1, reference, $2 from unnest($3::text[]) as reference
           on conflict (account_id, reference, delivery_id) do nothing`,
    values: [accountId, deliveryId, references],
  });
}

export function deleteDeliveryReferences(
  tx: Transaction,
  accountId: string,
  deliveryId: string,
): Promise<void> {
  return deleteReferencesOf(tx, accountId, [deliveryId]);
}

export async function deleteReferencesOf(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  await tx.query({
    text: 'delete from delivery_references where account_id = $1 and delivery_id = any($2::text[])',
    values: [accountId, deliveryIds],
  });
}

/** Ids of an order that parked deliveries may wait for. */
export type KnownNames = { readonly accountId: string; readonly names: readonly string[] };

type KnownName = { readonly index: number; readonly accountId: string; readonly name: string };

const knownNameRows = defineRows<KnownName>({
  index: ['integer', ({ index }) => index],
  account_id: ['text', ({ accountId }) => accountId],
  reference: ['text', ({ name }) => name],
});

/** The ids of the deliveries that wait for one of the names, in the order of `known`. */
export async function listParkedDeliveries(
  database: Queryable,
  known: readonly KnownNames[],
): Promise<string[][]> {
  const flat = known.flatMap(({ accountId, names }, index) =>
    names.map((name) => ({ index, accountId, name })),
  );
  const { rows } = await database.query<{ index: number; delivery_id: string }>({
    name: 'list-parked-deliveries',
    // "offset 0" fixes the join order: on a small table the planner would choose to read all of it.
    text: `select distinct index, delivery_id from ${knownNameRows.from}
            cross join lateral (select delivery_id from delivery_references r
              where r.account_id = row.account_id and r.reference = row.reference offset 0) parked`,
    values: knownNameRows.toParameters(flat),
  });
  const found = Map.groupBy(rows, ({ index }) => index);
  return known.map((_names, index) => (found.get(index) ?? []).map((row) => row.delivery_id));
}

/** Makes unfinished and dead deliveries due now. */
export async function makeDue(
  database: Queryable,
  accountId: string,
  deliveryIds: readonly string[],
  now: Date,
): Promise<void> {
  await database.query({
    text: `update deliveries set state = 'parked', next_try_at = $3, finished_at = null
            where account_id = $1 and delivery_id = any($2::text[])
              and state in ('received', 'parked', 'dead')`,
    values: [accountId, deliveryIds, now],
  });
}
