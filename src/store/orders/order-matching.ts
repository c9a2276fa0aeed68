/** Finds the orders that deliveries refer to, for a batch of deliveries with one statement. */

import type { OrderReferences, References } from '../../domain/payments/notice.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { sql } from '../../postgres/sql.ts';
import { hasId } from '../payments/transactions.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { insertAll } from '../query.ts';

type Referring = {
  readonly accountId: string;
  readonly provider: ProviderName;
  readonly names: OrderReferences;
};

export type ReferencedOrders = {
  /** The orders of the account that the notice refers to, without repeats. Contract 6.4. */
  readonly orders: readonly string[];
  /** The provider's own order id is stored in `provider_orders` already. */
  readonly isProviderOrderKnown: boolean;
};

export async function findReferencedOrders(database: Queryable, referring: readonly Referring[]) {
  const found = referring.map(
    (): ReferencedOrders => ({ orders: [], isProviderOrderKnown: false }),
  );
  // Level 0 looks up the main references. Each further level looks up fallback references, and only for deliveries that
  // found no order so far, so nearly every account needs one statement.
  for (let level = 0; ; level += 1) {
    const lookups: Lookup[] = [];
    for (const [index, { accountId, provider, names }] of referring.entries()) {
      const { references } = names;
      const own = level === 0 ? references : references.fallbacks?.[level - 1];
      if (!own || (found[index]?.orders.length ?? 0) > 0) continue;
      eachName(names, own, (kind, name) =>
        lookups.push({ index, accountId, provider, kind, name }),
      );
    }
    if (lookups.length === 0) return found;
    for (const [index, orders] of await findOrders(database, lookups)) found[index] = orders;
  }
}

const hasName = hasId(sql`name`);

type Lookup = Omit<Referring, 'names'> & {
  /** Of the delivery in the batch. */
  readonly index: number;
  readonly kind: string;
  readonly name: string;
};

const lookupRows = defineAccountRows<Lookup>({
  integer: ['index'],
  text: ['provider', 'kind', 'name'],
});

function eachName(
  { payment, refund, dispute }: OrderReferences,
  references: References,
  add: (kind: string, name: string) => void,
): void {
  const addIfGiven = (kind: string, name: string | undefined) => {
    if (name) add(kind, name);
  };
  addIfGiven('payment', payment?.pspTransactionId);
  addIfGiven('payment', payment?.targetPspId);
  addIfGiven('payment', refund?.paymentPspId);
  addIfGiven('payment', dispute?.paymentPspId);
  addIfGiven('refund', refund?.pspTransactionId);
  addIfGiven('provider_order', references.providerOrderId);
  for (const name of references.transactionIds) addIfGiven('transaction', name);
  for (const name of references.orderIds) addIfGiven('order', name);
  for (const name of references.invoiceIds) addIfGiven('invoice', name);
}

async function findOrders(database: Queryable, lookups: readonly Lookup[]) {
  type Found = { index: number; kind: string; order_id: string };
  const rows = await lookupRows.query<Found>(database, lookups, 'find-referenced-orders')`
    with lookup as materialized (select * from ${lookupRows.from})
    select index, kind, order_id from lookup join transactions t
        on kind in ('payment', 'refund') and t.account_id = ${accountOf('lookup')}
       and t.provider = lookup.provider and t.type = kind and t.psp_transaction_id = name
     union all
    select index, kind, order_id from lookup join provider_orders p
        on kind = 'provider_order' and p.account_id = ${accountOf('lookup')}
       and p.provider = lookup.provider and p.provider_order_id = name
     union all
    select index, kind, order_id from lookup join transactions t
        on kind = 'transaction' and t.account_id = ${accountOf('lookup')} and ${hasName}
     union all
    select index, kind, order_id from lookup join orders o
        on kind = 'order' and o.account_id = ${accountOf('lookup')} and o.order_id = name
     union all
    select index, kind, order_id from lookup join orders o
        on kind = 'invoice' and o.account_id = ${accountOf('lookup')} and o.invoice_id = name`;
  const found = new Map<number, { orders: string[]; isProviderOrderKnown: boolean }>();
  for (const { index, kind, order_id } of rows) {
    const own = found.get(index) ?? { orders: [], isProviderOrderKnown: false };
    if (!own.orders.includes(order_id)) own.orders.push(order_id);
    own.isProviderOrderKnown ||= kind === 'provider_order';
    found.set(index, own);
  }
  return found;
}

export type ProviderOrder = {
  readonly accountId: string;
  readonly provider: ProviderName;
  readonly providerOrderId: string;
  readonly orderId: string;
};

const learnedRows = defineRows<ProviderOrder>({
  text: ['accountId', 'provider', 'providerOrderId', 'orderId'],
});

function keyOf({ accountId, provider, providerOrderId }: ProviderOrder): string[] {
  return [accountId, provider, providerOrderId];
}

/**
 * Ties provider orders to ours. The primary key ends the race of two deliveries that tie one provider order to different
 * orders: the second insert fails, and its transaction is retried and finds the first one's row.
 */
export async function insertProviderOrders(tx: Transaction, learned: readonly ProviderOrder[]) {
  await insertAll(tx, {
    name: 'insert-provider-orders',
    into: 'provider_orders',
    rows: learnedRows,
    entries: learned,
    key: keyOf,
    concurrentInserts: ['provider_orders_pkey'],
  });
}

/** For ids that our own calls to the provider returned. A delivery may have stored one already, which is no error. */
export async function learnProviderOrders(tx: Transaction, learned: readonly ProviderOrder[]) {
  await insertAll(tx, {
    name: 'learn-provider-orders',
    into: 'provider_orders',
    rows: learnedRows,
    entries: learned,
    key: keyOf,
    end: 'on conflict (account_id, provider, provider_order_id) do nothing',
  });
}
