/**
 * Walks deliveries that could not be applied, in pages, and finds those whose order is new or has changed since their
 * last try. Nothing else can make a retry succeed earlier than planned.
 */
import type { DeliveryKey } from '../../domain/inbox/delivery.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { columnsOf, type Sql, sql, word } from '../../postgres/sql.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { listRows } from '../query.ts';

export type WalkedState = 'received' | 'parked' | 'dead';

type WalkedDelivery = DeliveryKey & {
  /** Its order was created or changed after its last try. */
  readonly hasNews: boolean;
};

type WalkOptions = {
  readonly now: Date;
  readonly limit: number;
  /** The wait after each try, from which the time of the last try follows. */
  readonly retrySeconds: readonly number[];
  /**
   * Two processes compare their clocks here, and an order may be committed a moment after its `created_at`. A delivery
   * that died again after its planned tries gets no such margin, or the same order would make it due twice.
   */
  readonly commitDelaySecondsMax: number;
};

type ListedDelivery = DeliveryKey & {
  readonly provider: ProviderName;
  readonly isWaiting: boolean;
  readonly triedAt: Date;
};

/** Deliveries that are due already are walked too, without news: they are about to be tried. */
export async function walkDeliveries(
  database: Database,
  state: WalkedState,
  { accountId, deliveryId }: DeliveryKey,
  { now, limit, retrySeconds, commitDelaySecondsMax }: WalkOptions,
): Promise<WalkedDelivery[]> {
  const values = [accountId, deliveryId, now, limit, retrySeconds, commitDelaySecondsMax];
  const rows = await listRows<ListedDelivery>(database, values)`
    select ${columnsOf('accountId, deliveryId, provider')},
           next_try_at is null or next_try_at > $3 as "isWaiting",
           coalesce(finished_at, next_try_at - interval '1 second' * ($5::double precision[])[tries], received_at)
             - interval '1 second' * case when tries <= array_length($5, 1) + 1 then $6 else 0 end as "triedAt"
      from deliveries
     where state = '${word(state)}' and (account_id, delivery_id) > ($1, $2)
     order by account_id, delivery_id limit $4`;
  const waiting = rows.filter(({ isWaiting }) => isWaiting);
  const known = await database.pipelined((connection) => listKnown(connection, waiting));
  return rows.map((row) => ({
    accountId: row.accountId,
    deliveryId: row.deliveryId,
    hasNews: known.has(row.deliveryId),
  }));
}

const pageRows = defineAccountRows<ListedDelivery>({
  text: ['deliveryId', 'provider'],
  timestamptz: ['triedAt'],
});

/** The deliveries of these with news. */
async function listKnown(database: Queryable, listed: readonly ListedDelivery[]) {
  // Every look-up is a scalar subquery by a complete key, because the planner can turn neither that nor "offset 0"
  // into a scan of a whole table.
  type Known = { delivery_id: string };
  const rows = await pageRows.query<Known>(database, listed, 'list-known-deliveries')`
    with page as materialized (select * from ${pageRows.from})
    select delivery_id from page
     where (select bool_or(greatest(${changedAt(sql`by_id`)}, ${changedAt(sql`by_invoice`)},
                                    ${changedAt(sql`by_provider`)}, ${changedAt(sql`by_payment`)})
                           > page.tried_at)
              from (${namedOrders} offset 0) named)`;
  return new Set(rows.map((row) => row.delivery_id));
}

/** What each reference of a delivery may name. */
const namedOrders = sql`
  select r.reference as by_id,
         (select o.order_id from orders o
           where o.account_id = ${accountOf('page')} and o.invoice_id = r.reference) as by_invoice,
         (select p.order_id from provider_orders p
           where p.account_id = ${accountOf('page')} and p.provider = page.provider
             and p.provider_order_id = r.reference) as by_provider,
         (select t.order_id from transactions t
           where t.account_id = ${accountOf('page')} and t.provider = page.provider
             and t.type = 'payment' and t.psp_transaction_id = r.reference) as by_payment
    from delivery_references r
   where r.account_id = ${accountOf('page')} and r.delivery_id = page.delivery_id`;

/** Null if there is no such order. The last row of a history is never pruned. */
function changedAt(orderId: Sql): Sql {
  return sql`(select greatest(o.created_at, (select h.happened_at from history h
                                           where h.account_id = ${accountOf('page')} and h.order_id = o.order_id
                                           order by h.position desc limit 1))
             from orders o
            where o.account_id = ${accountOf('page')} and o.order_id = ${orderId})`;
}
