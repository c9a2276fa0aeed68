/** The inbox: provider deliveries as received, with the state of each. */
import type { Delivery, DeliveryKey, DeliveryState } from '../../domain/inbox/delivery.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { queryPerAccount } from '../per-account.ts';

export type DeliveryRow = {
  account_id: string;
  delivery_id: string;
  provider: ProviderName;
  delivery_key: string;
  event_id: string | null;
  state: DeliveryState;
  why: string | null;
  flags: ReviewFlag[];
  headers: Record<string, string> | null;
  body: Buffer | null;
  expected_merchant: string | null;
  order_id: string | null;
  tries: number;
  next_try_at: Date | null;
  received_at: Date;
  finished_at: Date | null;
  erased_at: Date | null;
};

export const deliveryColumns =
  'd.account_id, d.delivery_id, d.provider, d.delivery_key, d.event_id, d.state, d.why, d.flags, d.headers, d.body, d.expected_merchant, d.order_id, d.tries, d.next_try_at, d.received_at, d.finished_at, d.erased_at';

/** Ends the race to apply one delivery between the provider's repeat, the background worker and an operator. */
export async function lockDelivery(
  tx: Transaction,
  accountId: string,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const { rows } = await tx.query<DeliveryRow>({
    name: 'lock-delivery',
    text: 'select * from deliveries where account_id = $1 and delivery_id = $2 for update',
    values: [accountId, deliveryId],
  });
  return rows[0] && toDelivery(rows[0]);
}

export async function findDelivery(
  database: Queryable,
  accountId: string,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const { rows } = await database.query<DeliveryRow>({
    text: 'select * from deliveries where account_id = $1 and delivery_id = $2',
    values: [accountId, deliveryId],
  });
  return rows[0] && toDelivery(rows[0]);
}

/** In any order. */
export async function findDeliveries(
  database: Queryable,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<Delivery[]> {
  const { rows } = await database.query<DeliveryRow>({
    text: 'select * from deliveries where account_id = $1 and delivery_id = any($2::text[])',
    values: [accountId, deliveryIds],
  });
  return rows.map(toDelivery);
}

/**
 * Ids only, account by account, those of an account oldest first. Whoever walks them may change the state of those that
 * were passed.
 */
export async function* walkDeliveryIds(
  database: Queryable,
  state: DeliveryState,
): AsyncGenerator<DeliveryKey> {
  const limit = 1_000;
  let last: DeliveryKey = { accountId: '', deliveryId: '' };
  for (let isLast = false; !isLast; ) {
    const { rows } = await database.query<Pick<DeliveryRow, 'account_id' | 'delivery_id'>>({
      text: `select account_id, delivery_id from deliveries
              where state = $1 and (account_id, delivery_id) > ($2, $3)
              order by account_id, delivery_id limit ${limit}`,
      values: [state, last.accountId, last.deliveryId],
    });
    const page = rows.map((row) => ({ accountId: row.account_id, deliveryId: row.delivery_id }));
    yield* page;
    last = page.at(-1) ?? last;
    isLast = page.length < limit;
  }
}

/** The deliveries that were applied to an order, in the order in which they were applied. */
export async function listDeliveriesOfOrder(
  database: Queryable,
  accountId: string,
  orderId: string,
): Promise<Delivery[]> {
  const { rows } = await database.query<DeliveryRow>({
    text: `select * from deliveries where account_id = $1 and order_id = $2
            order by finished_at, delivery_id`,
    values: [accountId, orderId],
  });
  return rows.map(toDelivery);
}

const isDue = `d.state in ('received', 'parked') and d.next_try_at <= $1 and d.body is not null`;

export async function hasDueDeliveries(database: Queryable, now: Date): Promise<boolean> {
  const { rows } = await database.query({
    name: 'has-due-deliveries',
    text: `select 1 as due from deliveries d where ${isDue} limit 1`,
    values: [now],
  });
  return rows.length > 0;
}

/** If other processes hold this many pages of due deliveries, this one leaves the rest to its next turn. */
const duePagesMax = 4;

/**
 * Unfinished deliveries whose next try is due: the longest overdue, in any order. Those that another transaction has
 * locked are being tried, so they are skipped; that ends the race of several processes to try one delivery.
 */
export async function lockDueDeliveries(
  tx: Transaction,
  now: Date,
  limit: number,
): Promise<Delivery[]> {
  const locked: Delivery[] = [];
  for (let page = 0; page < duePagesMax && locked.length < limit; page += 1) {
    const due = await listDueDeliveries(tx, now, { limit, offset: page * limit });
    locked.push(...(await lockIfDue(tx, now, due.slice(0, limit - locked.length))));
    if (due.length < limit) break;
  }
  return locked;
}

/** Reads all accounts, so it locks nothing: rows are locked by one statement for each account. */
async function listDueDeliveries(
  tx: Transaction,
  now: Date,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<DeliveryKey[]> {
  const { rows } = await tx.query<Pick<DeliveryRow, 'account_id' | 'delivery_id'>>({
    name: 'list-due-deliveries',
    text: `select d.account_id, d.delivery_id from deliveries d where ${isDue}
            order by d.next_try_at limit $2 offset $3`,
    values: [now, limit, offset],
  });
  return rows.map((row) => ({ accountId: row.account_id, deliveryId: row.delivery_id }));
}

async function lockIfDue(
  tx: Transaction,
  now: Date,
  due: readonly DeliveryKey[],
): Promise<Delivery[]> {
  const rows = await queryPerAccount<DeliveryRow, DeliveryKey>(tx, due, (accountId, own) => ({
    name: 'lock-due-deliveries',
    text: `select ${deliveryColumns} from deliveries d
            where d.account_id = $2 and d.delivery_id = any($3::text[]) and ${isDue}
              for update skip locked`,
    values: [now, accountId, own.map(({ deliveryId }) => deliveryId)],
  }));
  return rows.map(toDelivery);
}

/** Those that are unfinished, locked in the order in which batches of webhooks lock them. */
export async function lockDeliveries(
  tx: Transaction,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<Delivery[]> {
  const { rows } = await tx.query<DeliveryRow>({
    name: 'lock-deliveries',
    text: `select ${deliveryColumns} from deliveries d
            where d.account_id = $1 and d.delivery_id = any($2::text[])
              and d.state in ('received', 'parked', 'dead') and d.body is not null
            order by d.provider, d.delivery_key
              for update`,
    values: [accountId, deliveryIds],
  });
  return rows.map(toDelivery);
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    accountId: row.account_id,
    deliveryId: row.delivery_id,
    provider: row.provider,
    deliveryKey: row.delivery_key,
    eventId: row.event_id,
    state: row.state,
    why: row.why,
    flags: row.flags,
    headers: row.headers,
    body: row.body,
    expectedMerchant: row.expected_merchant,
    orderId: row.order_id,
    tries: row.tries,
    nextTryAt: row.next_try_at,
    receivedAt: row.received_at,
    finishedAt: row.finished_at,
    ...(row.erased_at && { isErased: true }),
  };
}
