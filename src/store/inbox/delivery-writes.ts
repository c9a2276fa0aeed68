/** Reads and writes of the inbox that handle a batch of deliveries with one statement. */
import type { Delivery, DeliveryResult } from '../../domain/inbox/delivery.ts';
import type { ProviderEventKey, RepeatKey } from '../../domain/inbox/repeats.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Transaction } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { insertAll } from '../query.ts';
import { deliveryColumns } from './deliveries.ts';

const rows = defineRows<Delivery>({
  text: [
    'accountId',
    'deliveryId',
    'provider',
    'deliveryKey',
    'eventId',
    'state',
    'why',
    'expectedMerchant',
    'orderId',
  ],
  'text[]': ['flags'],
  json: ['headers'],
  bytea: ['body'],
  integer: ['tries'],
  timestamptz: ['nextTryAt', 'receivedAt', 'finishedAt'],
});

/**
 * Inserts deliveries together with their result, so that each row is written once. If a concurrent transaction stored
 * the same delivery first, the unique index fails the insert and the whole transaction is retried.
 */
export async function insertDeliveries(tx: Transaction, deliveries: readonly Delivery[]) {
  await insertAll(tx, {
    name: 'insert-deliveries',
    into: 'deliveries',
    rows,
    entries: deliveries,
    key: ({ accountId, provider, deliveryKey }) => [accountId, provider, deliveryKey],
    concurrentInserts: ['deliveries_account_id_provider_delivery_key_key', 'deliveries_event_id'],
  });
}

type Result = Pick<Delivery, 'accountId' | 'deliveryId'> & DeliveryResult;

const results = defineAccountRows<Result>({
  text: ['deliveryId', 'state', 'why', 'orderId'],
  'text[]': ['flags'],
  integer: ['tries'],
  timestamptz: ['nextTryAt', 'finishedAt'],
});

export async function updateDeliveries(tx: Transaction, changed: readonly Result[]) {
  await results.query(tx, changed, 'update-deliveries')`
    update deliveries d
       set state = row.state, why = row.why, flags = row.flags, order_id = row.order_id,
           tries = row.tries, next_try_at = row.next_try_at, finished_at = row.finished_at
      from ${results.from}
     where d.account_id = ${accountOf('row')} and d.delivery_id = row.delivery_id`;
}

const keyRows = defineAccountRows<RepeatKey>({ text: ['provider', 'deliveryKey'] });

/**
 * The deliveries that are stored already. The lock ends the race of two copies of one delivery; rows are locked in key
 * order, account by account, so that two batches cannot deadlock.
 */
export function lockDeliveriesByKey(tx: Transaction, keys: readonly RepeatKey[]) {
  return keyRows.query<Delivery>(tx, keys, 'lock-deliveries-by-key')`
    select ${deliveryColumns}
      from ${keyRows.from} join deliveries d
        on d.account_id = ${accountOf('row')} and d.provider = row.provider
       and d.delivery_key = row.delivery_key
     order by d.account_id, d.provider, d.delivery_key
       for update of d`;
}

const heldColumns = columnsOf('accountId, provider, eventId', 'd');
const eventRows = defineAccountRows<ProviderEventKey>({ text: ['provider', 'eventId'] });

/**
 * Which of these event ids belong to a stored delivery. An id that a concurrent transaction stores after this read fails
 * the insert through its unique index.
 */
export function listHeldEvents(tx: Transaction, events: readonly ProviderEventKey[]) {
  return eventRows.query<ProviderEventKey>(tx, events, 'list-held-events')`
    select ${heldColumns}
      from ${eventRows.from} join deliveries d
        on d.account_id = ${accountOf('row')} and d.provider = row.provider
       and d.event_id = row.event_id
     where d.event_id is not null`;
}
