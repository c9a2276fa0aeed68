/** The references that parked deliveries wait for: ids that no order has yet. */
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { execute, insertAll } from '../query.ts';

export type ParkedDelivery = {
  readonly accountId: string;
  readonly deliveryId: string;
  /** The names that it is parked for. */
  readonly names: readonly string[];
};

type Reference = Omit<ParkedDelivery, 'names'> & { readonly name: string };

const referenceRows = defineRows<Reference>(
  { text: ['accountId', 'deliveryId'] },
  { reference: ['text', ({ name }) => name] },
);

export async function insertDeliveryReferences(tx: Transaction, parked: readonly ParkedDelivery[]) {
  const references = parked.flatMap(({ names, ...own }) => names.map((name) => ({ ...own, name })));
  await insertAll(tx, {
    name: 'insert-delivery-references',
    into: 'delivery_references',
    rows: referenceRows,
    entries: references,
    end: 'on conflict (account_id, reference, delivery_id) do nothing',
  });
}

const parkedRows = defineAccountRows<ParkedDelivery>({ text: ['deliveryId'], 'text[]': ['names'] });

/** Deletes the references that a delivery is not parked for any more: all of them when it is not parked. */
export async function deleteOtherReferences(tx: Transaction, parked: readonly ParkedDelivery[]) {
  await parkedRows.query(tx, parked, 'delete-other-references')`
    delete from delivery_references r using ${parkedRows.from}
     where r.account_id = ${accountOf('row')} and r.delivery_id = row.delivery_id
       and r.reference <> all (row.names)`;
}

export async function deleteReferencesOf(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
) {
  await execute(tx, [accountId, deliveryIds])`
    delete from delivery_references where account_id = $1 and delivery_id = any($2::text[])`;
}

/** Ids of an order that parked deliveries may wait for. */
export type KnownNames = { readonly accountId: string; readonly names: readonly string[] };

const parkedOfNameMax = 100;

type KnownName = { readonly index: number; readonly accountId: string; readonly name: string };

const knownNameRows = defineAccountRows<KnownName>(
  { integer: ['index'] },
  { reference: ['text', ({ name }) => name] },
);

/**
 * The ids of deliveries that wait for one of the names, in the order of `known`. A shop may name one invoice in all of
 * its payments, so the list is bounded; each that is applied leads to the next ones. Most accounts have no parked
 * delivery, and for them no name is looked up.
 */
export async function listParkedDeliveries(database: Queryable, known: readonly KnownNames[]) {
  const flat = known.flatMap(({ accountId, names }, index) =>
    names.map((name) => ({ index, accountId, name })),
  );
  // The limit also fixes the plan: on a small table the planner would choose to read all of it.
  const rows = await knownNameRows.query<ParkedRow>(database, flat, 'list-parked-deliveries')`
    with parked as materialized (
      select index, array(select r.delivery_id from delivery_references r
                 where r.account_id = ${accountOf('row')} and r.reference = row.reference
                 order by r.delivery_id limit ${parkedOfNameMax}) as found
        from ${knownNameRows.from}
       where exists (select from delivery_references r
                      where r.account_id = ${accountOf('row')}))
    select index, found from parked where found <> '{}'`;
  const byIndex = Map.groupBy(rows, ({ index }) => index);
  return known.map((_names, index) => [
    ...new Set((byIndex.get(index) ?? []).flatMap(({ found }) => found)),
  ]);
}

type ParkedRow = { readonly index: number; readonly found: readonly string[] };

/** Due deliveries are tried oldest first, and nothing is older than this. */
const beforeAllOthers = new Date(0);

/**
 * Makes unfinished and dead deliveries due, before all others: what they name is known, while a million others may be
 * due that nobody knows.
 */
export async function makeDue(
  database: Queryable,
  accountId: string,
  deliveryIds: readonly string[],
) {
  await execute(database, [accountId, deliveryIds, beforeAllOthers])`
    update deliveries set state = 'parked', next_try_at = $3, finished_at = null
     where account_id = $1 and delivery_id = any($2::text[])
       and state in ('received', 'parked', 'dead')
       and (next_try_at is null or next_try_at > $3)`;
}
