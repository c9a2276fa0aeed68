/** Writes to the inbox, for many deliveries with one statement each. */
import type { Transaction } from './database.ts';
import {
  type Delivery,
  type DeliveryResult,
  type DeliveryRow,
  deliveryColumns,
  toDelivery,
} from './deliveries.ts';

type DeliveryKey = Pick<Delivery, 'accountId' | 'provider' | 'deliveryKey'>;

/** Another process has just kept one of them; everything is done again, and finds it. */
class RivalError extends Error {
  /** As the database says it: the transaction is run again. */
  readonly code = '40001';
}

/** Inserted with what came of them, so that each is written once. Throws when a rival was faster. */
export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const { rowCount } = await tx.query({
    name: 'insert-deliveries',
    text: `insert into deliveries (
             account_id, delivery_id, provider, delivery_key, state, why, flags, headers, body,
             expected_merchant, order_id, tries, next_try_at, received_at, finished_at)
           select account_id, delivery_id, provider, delivery_key, state, why, flags, headers,
             decode(body, 'base64'), expected_merchant, order_id, tries, next_try_at, received_at,
             finished_at
             from json_to_recordset($1::json) as row (
               account_id text, delivery_id text, provider text, delivery_key text, state text,
               why text, flags text[], headers jsonb, body text, expected_merchant text,
               order_id text, tries integer, next_try_at timestamptz, received_at timestamptz,
               finished_at timestamptz)
            order by account_id, provider, delivery_key
           on conflict (account_id, provider, delivery_key) do nothing`,
    values: [JSON.stringify(deliveries.map(toRow))],
  });
  if (rowCount !== deliveries.length) throw new RivalError('a delivery was kept by another');
}

export async function updateDeliveries(
  tx: Transaction,
  results: ReadonlyArray<Pick<Delivery, 'accountId' | 'deliveryId'> & DeliveryResult>,
): Promise<void> {
  if (results.length === 0) return;
  await tx.query({
    name: 'update-deliveries',
    text: `update deliveries d
              set state = row.state, why = row.why, flags = row.flags, order_id = row.order_id,
                  tries = row.tries, next_try_at = row.next_try_at, finished_at = row.finished_at
             from json_to_recordset($1::json) as row (
               account_id text, delivery_id text, state text, why text, flags text[],
               order_id text, tries integer, next_try_at timestamptz, finished_at timestamptz)
            where d.account_id = row.account_id and d.delivery_id = row.delivery_id`,
    values: [
      JSON.stringify(
        results.map((result) => ({
          account_id: result.accountId,
          delivery_id: result.deliveryId,
          state: result.state,
          why: result.why,
          flags: result.flags,
          order_id: result.orderId,
          tries: result.tries,
          next_try_at: result.nextTryAt,
          finished_at: result.finishedAt,
        })),
      ),
    ],
  });
}

/** Those that are known by their keys; nobody else applies them until the transaction ends. */
export async function lockDeliveriesByKey(
  tx: Transaction,
  keys: readonly DeliveryKey[],
): Promise<Delivery[]> {
  const { rows } = await tx.query<DeliveryRow>({
    name: 'lock-deliveries-by-key',
    text: `select ${deliveryColumns}
             from unnest($1::text[], $2::text[], $3::text[]) as asked (account, by, key)
             join deliveries d
               on d.account_id = account and d.provider = by and d.delivery_key = key
            order by d.account_id, d.provider, d.delivery_key
              for update of d`,
    values: [
      keys.map(({ accountId }) => accountId),
      keys.map(({ provider }) => provider),
      keys.map(({ deliveryKey }) => deliveryKey),
    ],
  });
  return rows.map(toDelivery);
}

function toRow(delivery: Delivery) {
  return {
    account_id: delivery.accountId,
    delivery_id: delivery.deliveryId,
    provider: delivery.provider,
    delivery_key: delivery.deliveryKey,
    state: delivery.state,
    why: delivery.why,
    flags: delivery.flags,
    headers: delivery.headers,
    body: delivery.body.toString('base64'),
    expected_merchant: delivery.expectedMerchant,
    order_id: delivery.orderId,
    tries: delivery.tries,
    next_try_at: delivery.nextTryAt,
    received_at: delivery.receivedAt,
    finished_at: delivery.finishedAt,
  };
}
