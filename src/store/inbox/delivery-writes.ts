/** Reads and writes of the inbox that handle a batch of deliveries with one statement, or one for each account. */
import type { Delivery, DeliveryResult } from '../../domain/inbox/delivery.ts';
import type { ProviderEventKey, RepeatKey } from '../../domain/inbox/repeats.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Transaction } from '../../postgres/database.ts';
import { insertRows } from '../../postgres/insert-rows.ts';
import { defineAccountRows, queryPerAccount } from '../per-account.ts';
import { type DeliveryRow, deliveryColumns, toDelivery } from './deliveries.ts';

const rows = defineRows<Delivery>({
  account_id: ['text', ({ accountId }) => accountId],
  delivery_id: ['text', ({ deliveryId }) => deliveryId],
  provider: ['text', ({ provider }) => provider],
  delivery_key: ['text', ({ deliveryKey }) => deliveryKey],
  event_id: ['text', ({ eventId }) => eventId],
  state: ['text', ({ state }) => state],
  why: ['text', ({ why }) => why],
  flags: ['text[]', ({ flags }) => flags],
  headers: ['json', ({ headers }) => headers],
  body: ['bytea', ({ body }) => body],
  expected_merchant: ['text', ({ expectedMerchant }) => expectedMerchant],
  order_id: ['text', ({ orderId }) => orderId],
  tries: ['integer', ({ tries }) => tries],
  next_try_at: ['timestamptz', ({ nextTryAt }) => nextTryAt],
  received_at: ['timestamptz', ({ receivedAt }) => receivedAt],
  finished_at: ['timestamptz', ({ finishedAt }) => finishedAt],
});

/**
 * Inserts deliveries together with their result, so that each row is written once. If a concurrent transaction stored
 * the same delivery first, the unique index fails the insert and the whole transaction is retried.
 */
export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query(
    insertRows({
      ...{ name: 'insert-deliveries', into: 'deliveries', rows, entries: deliveries },
      key: ({ accountId, provider, deliveryKey }) => [accountId, provider, deliveryKey],
      concurrentInserts: ['deliveries_account_id_provider_delivery_key_key', 'deliveries_event_id'],
    }),
  );
}

type Result = Pick<Delivery, 'accountId' | 'deliveryId'> & DeliveryResult;

const results = defineAccountRows<Result>({
  delivery_id: ['text', ({ deliveryId }) => deliveryId],
  state: ['text', ({ state }) => state],
  why: ['text', ({ why }) => why],
  flags: ['text[]', ({ flags }) => flags],
  order_id: ['text', ({ orderId }) => orderId],
  tries: ['integer', ({ tries }) => tries],
  next_try_at: ['timestamptz', ({ nextTryAt }) => nextTryAt],
  finished_at: ['timestamptz', ({ finishedAt }) => finishedAt],
});

export async function updateDeliveries(tx: Transaction, changed: readonly Result[]): Promise<void> {
  await queryPerAccount(tx, changed, (accountId, own) => ({
    name: 'update-deliveries',
    text: `update deliveries d
              set state = row.state, why = row.why, flags = row.flags, order_id = row.order_id,
                  tries = row.tries, next_try_at = row.next_try_at, finished_at = row.finished_at
             from ${results.from}
            where d.account_id = $1 and d.delivery_id = row.delivery_id`,
    values: results.toParameters(accountId, own),
  }));
}

const keyRows = defineAccountRows<RepeatKey>({
  provider: ['text', ({ provider }) => provider],
  delivery_key: ['text', ({ deliveryKey }) => deliveryKey],
});

/**
 * The deliveries that are stored already. The lock ends the race of two copies of one delivery; rows are locked in key
 * order, account by account, so that two batches cannot deadlock.
 */
export async function lockDeliveriesByKey(
  tx: Transaction,
  keys: readonly RepeatKey[],
): Promise<Delivery[]> {
  const found = await queryPerAccount<DeliveryRow, RepeatKey>(tx, keys, (accountId, own) => ({
    name: 'lock-deliveries-by-key',
    text: `select ${deliveryColumns}
             from ${keyRows.from} join deliveries d
               on d.account_id = $1 and d.provider = row.provider and d.delivery_key = row.delivery_key
            order by d.provider, d.delivery_key
              for update of d`,
    values: keyRows.toParameters(accountId, own),
  }));
  return found.map(toDelivery);
}

const eventRows = defineAccountRows<ProviderEventKey>({
  provider: ['text', ({ provider }) => provider],
  event_id: ['text', ({ eventId }) => eventId],
});

/**
 * Which of these event ids belong to a stored delivery. An id that a concurrent transaction stores after this read fails
 * the insert through its unique index.
 */
export async function listHeldEvents(
  tx: Transaction,
  events: readonly ProviderEventKey[],
): Promise<ProviderEventKey[]> {
  type Held = DeliveryRow & { event_id: string };
  const held = await queryPerAccount<Held, ProviderEventKey>(tx, events, (accountId, own) => ({
    name: 'list-held-events',
    text: `select d.account_id, d.provider, d.event_id
             from ${eventRows.from} join deliveries d
               on d.account_id = $1 and d.provider = row.provider and d.event_id = row.event_id
            where d.event_id is not null`,
    values: eventRows.toParameters(accountId, own),
  }));
  return held.map((row) => ({
    accountId: row.account_id,
    provider: row.provider,
    eventId: row.event_id,
  }));
}
