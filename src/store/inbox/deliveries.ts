/** The inbox: provider deliveries as received, with the state of each. */
import type { Delivery, DeliveryKey, DeliveryState } from '../../domain/inbox/delivery.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { queryPerAccount } from '../per-account.ts';
import { findRow, listRows } from '../query.ts';

/** Without headers and body, which may be large. */
export const listedColumns = sql`${columnsOf('accountId, deliveryId, provider, deliveryKey, eventId, state, why, flags, expectedMerchant, orderId, tries, nextTryAt, receivedAt, finishedAt', 'd')}, d.erased_at is not null as "isErased"`;

export const deliveryColumns = sql`${listedColumns}, d.headers, d.body`;

/** Ends the race to apply one delivery between the provider's repeat, the background worker and an operator. */
export function lockDelivery(tx: Transaction, accountId: string, deliveryId: string) {
  return findRow<Delivery>(tx, [accountId, deliveryId], 'lock-delivery')`
    select ${deliveryColumns} from deliveries d where account_id = $1 and delivery_id = $2 for update`;
}

export function findDelivery(database: Queryable, accountId: string, deliveryId: string) {
  return findRow<Delivery>(database, [accountId, deliveryId])`
    select ${deliveryColumns} from deliveries d where account_id = $1 and delivery_id = $2`;
}

/** In any order. */
export function findDeliveries(
  database: Queryable,
  accountId: string,
  deliveryIds: readonly string[],
) {
  return listRows<Delivery>(database, [accountId, deliveryIds])`
    select ${deliveryColumns} from deliveries d where account_id = $1 and delivery_id = any($2::text[])`;
}

/**
 * Ids only, account by account, those of an account oldest first. Whoever walks them may change the state of those that
 * were passed.
 */
export async function* walkDeliveryIds(
  database: Queryable,
  state: DeliveryState,
  flags?: readonly ReviewFlag[],
): AsyncGenerator<DeliveryKey> {
  const limit = 1_000;
  let last: DeliveryKey = { accountId: '', deliveryId: '' };
  for (let isLast = false; !isLast; ) {
    const values = [state, last.accountId, last.deliveryId, flags ?? null];
    const page = await listRows<DeliveryKey>(database, values)`
      select ${columnsOf('accountId, deliveryId')} from deliveries
       where state = $1 and (account_id, delivery_id) > ($2, $3)
         and ($4::text[] is null or flags && $4)
       order by account_id, delivery_id limit ${limit}`;
    yield* page;
    last = page.at(-1) ?? last;
    isLast = page.length < limit;
  }
}

/** The deliveries that were applied to an order, in the order in which they were applied. */
export function listDeliveriesOfOrder(database: Queryable, accountId: string, orderId: string) {
  return listRows<Delivery>(database, [accountId, orderId])`
    select ${deliveryColumns} from deliveries d where account_id = $1 and order_id = $2
     order by finished_at, delivery_id`;
}

const isDue = sql`d.state in ('received', 'parked') and d.next_try_at <= $1 and d.body is not null`;

export async function hasDueDeliveries(database: Queryable, now: Date): Promise<boolean> {
  const rows = await listRows(database, [now], 'has-due-deliveries')`
    select 1 as due from deliveries d where ${isDue} limit 1`;
  return rows.length > 0;
}

/** If other processes hold this many pages of due deliveries, this one leaves the rest to its next turn. */
const duePagesMax = 4;

/**
 * Unfinished deliveries whose next try is due: the longest overdue, in any order. Those that another transaction has
 * locked are being tried, so they are skipped; that ends the race of several processes to try one delivery.
 */
export async function lockDueDeliveries(tx: Transaction, now: Date, limit: number) {
  const locked: Delivery[] = [];
  for (let page = 0; page < duePagesMax && locked.length < limit; page += 1) {
    const due = await listDueDeliveries(tx, now, { limit, offset: page * limit });
    locked.push(...(await lockIfDue(tx, now, due.slice(0, limit - locked.length))));
    if (due.length < limit) break;
  }
  return locked;
}

/** Reads all accounts, so it locks nothing: rows are locked by statements that name their account. */
function listDueDeliveries(
  tx: Transaction,
  now: Date,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  return listRows<DeliveryKey>(tx, [now, limit, offset], 'list-due-deliveries')`
    select ${columnsOf('accountId, deliveryId')} from deliveries d where ${isDue}
     order by d.next_try_at limit $2 offset $3`;
}

function lockIfDue(tx: Transaction, now: Date, due: readonly DeliveryKey[]) {
  return queryPerAccount<Delivery, DeliveryKey>(tx, due, (accountId, own) => ({
    name: 'lock-due-deliveries',
    text: `select ${deliveryColumns} from deliveries d
            where d.account_id = $2 and d.delivery_id = any($3::text[]) and ${isDue}
              for update skip locked`,
    values: [now, accountId, own.map(({ deliveryId }) => deliveryId)],
  }));
}

/** Those that are unfinished, locked in the order in which batches of webhooks lock them. */
export function lockDeliveries(tx: Transaction, accountId: string, deliveryIds: readonly string[]) {
  return listRows<Delivery>(tx, [accountId, deliveryIds], 'lock-deliveries')`
    select ${deliveryColumns} from deliveries d
     where d.account_id = $1 and d.delivery_id = any($2::text[])
       and d.state in ('received', 'parked', 'dead') and d.body is not null
     order by d.provider, d.delivery_key
       for update`;
}
