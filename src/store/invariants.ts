/** The invariants that `verify` checks across the whole database. Contract 9. */
import type { Queryable } from '../postgres/database.ts';

export type Breach = { readonly where: string; readonly what: string };

/** Contract 9.2: one order per account and invoice. */
export async function findSharedInvoices(database: Queryable): Promise<Breach[]> {
  return findBreaches(
    database,
    `select account_id || '/' || invoice_id as "where", count(*) || ' orders for one invoice' as what
       from orders group by account_id, invoice_id having count(*) > 1`,
  );
}

/** Contract 9.1: a delivery is stored once, and is either finished or has a time for its next try. */
export async function findLostDeliveries(database: Queryable): Promise<Breach[]> {
  return findBreaches(
    database,
    `select min(delivery_id) as "where", 'stored more than once' as what
       from deliveries group by account_id, provider, delivery_key having count(*) > 1
      union all
     select delivery_id, 'unfinished without a time for its next try'
       from deliveries where state in ('received', 'parked') and next_try_at is null
      union all
     select delivery_id, 'applied, but to no order'
       from deliveries where state in ('processed', 'stale') and order_id is null`,
  );
}

/** Contract 9.7: rows of one account never refer to rows of another. No foreign keys enforce it, for speed. */
export async function findForeignReferences(database: Queryable): Promise<Breach[]> {
  const references = [
    ['transactions', 'transaction_id', 'orders', 'order_id'],
    ['refund_requests', 'refund_request_id', 'transactions', 'transaction_id'],
    ['idempotency_keys', 'transaction_id', 'orders', 'order_id'],
    ['history', 'order_id', 'orders', 'order_id'],
    ['provider_orders', 'provider_order_id', 'orders', 'order_id'],
    ['delivery_references', 'delivery_id', 'deliveries', 'delivery_id'],
    ['deliveries', 'delivery_id', 'orders', 'order_id'],
    ['orders', 'order_id', 'accounts', 'account_id'],
    ['account_secrets', 'secret_id', 'accounts', 'account_id'],
    ['review_resolutions', 'subject', 'accounts', 'account_id'],
    ['audit', 'audit_id', 'accounts', 'account_id'],
  ] as const;
  const queries = references.map(
    ([table, name, target, key]) =>
      `select t.${name} as "where", '${table} row refers to ${target} row that its account does not have' as what
         from ${table} t
        where t.${key} is not null
          and not exists (select from ${target} x
                           where x.account_id = t.account_id and x.${key} = t.${key})`,
  );
  return findBreaches(database, queries.join(' union all '));
}

async function findBreaches(database: Queryable, text: string): Promise<Breach[]> {
  const { rows } = await database.query<Breach>({ text });
  return rows;
}
