/** Which orders the references of deliveries name, for many deliveries with one statement. */

import type { ProviderName } from '../domain/provider-name.ts';
import type { OrderReferences, References } from '../domain/transactions/notice.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';
import { hasId } from './transactions.ts';

export type Referring = {
  readonly accountId: string;
  readonly provider: ProviderName;
  readonly names: OrderReferences;
};

export type ReferencedOrders = {
  /** The orders of the account that the notice names, each once. Contract 6.4. */
  readonly orders: readonly string[];
  /** The provider's own name of the order is tied to it already. */
  readonly isProviderOrderKnown: boolean;
};

export async function findReferencedOrders(
  database: Queryable,
  referring: readonly Referring[],
): Promise<ReferencedOrders[]> {
  const found = referring.map(
    (): ReferencedOrders => ({ orders: [], isProviderOrderKnown: false }),
  );
  // What is looked at only when nothing before names an order is rarely looked at.
  for (let level = 0; ; level += 1) {
    const open: Asked[] = [];
    for (const [place, { accountId, provider, names }] of referring.entries()) {
      const { references } = names;
      const own = level === 0 ? references : references.fallbacks?.[level - 1];
      if (!own || (found[place]?.orders.length ?? 0) > 0) continue;
      eachName(names, own, (kind, name) => open.push({ place, accountId, provider, kind, name }));
    }
    if (open.length === 0) return found;
    for (const [place, orders] of await findOrders(database, open)) found[place] = orders;
  }
}

type Asked = {
  readonly place: number;
  readonly accountId: string;
  readonly provider: ProviderName;
  readonly kind: string;
  readonly name: string;
};

const askedRows = defineRows<Asked>({
  place: ['integer', ({ place }) => place],
  account_id: ['text', ({ accountId }) => accountId],
  provider: ['text', ({ provider }) => provider],
  kind: ['text', ({ kind }) => kind],
  name: ['text', ({ name }) => name],
});

function eachName(
  { payment, refund }: OrderReferences,
  references: References,
  take: (kind: string, name: string) => void,
): void {
  const offer = (kind: string, name: string | undefined) => {
    if (name) take(kind, name);
  };
  offer('payment', payment?.pspTransactionId);
  offer('payment', payment?.targetPspId);
  offer('payment', refund?.paymentPspId);
  offer('refund', refund?.pspTransactionId);
  offer('provider_order', references.providerOrderId);
  for (const name of references.transactionIds) offer('transaction', name);
  for (const name of references.orderIds) offer('order', name);
  for (const name of references.invoiceIds) offer('invoice', name);
}

async function findOrders(
  database: Queryable,
  asked: readonly Asked[],
): Promise<Map<number, ReferencedOrders>> {
  const { rows } = await database.query<{ place: number; kind: string; order_id: string }>({
    name: 'find-referenced-orders',
    text: `with asked as materialized (select * from ${askedRows.from})
           select place, kind, order_id from asked join transactions t
               on kind in ('payment', 'refund') and t.account_id = asked.account_id
              and t.provider = asked.provider and t.type = kind and t.psp_transaction_id = name
            union all
           select place, kind, order_id from asked join provider_orders p
               on kind = 'provider_order' and p.account_id = asked.account_id
              and p.provider = asked.provider and p.provider_order_id = name
            union all
           select place, kind, order_id from asked join transactions t
               on kind = 'transaction' and t.account_id = asked.account_id
              and ${hasId('name')}
            union all
           select place, kind, order_id from asked join orders o
               on kind = 'order' and o.account_id = asked.account_id and o.order_id = name
            union all
           select place, kind, order_id from asked join orders o
               on kind = 'invoice' and o.account_id = asked.account_id and o.invoice_id = name`,
    values: askedRows.toParameters(asked),
  });
  const found = new Map<number, { orders: string[]; isProviderOrderKnown: boolean }>();
  for (const { place, kind, order_id } of rows) {
    const own = found.get(place) ?? { orders: [], isProviderOrderKnown: false };
    if (!own.orders.includes(order_id)) own.orders.push(order_id);
    own.isProviderOrderKnown ||= kind === 'provider_order';
    found.set(place, own);
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
  account_id: ['text', ({ accountId }) => accountId],
  provider: ['text', ({ provider }) => provider],
  provider_order_id: ['text', ({ providerOrderId }) => providerOrderId],
  order_id: ['text', ({ orderId }) => orderId],
});

/**
 * Deliveries of one provider's order must agree on ours from the first that names it. Fails when a rival was faster,
 * and with it the whole transaction, which then is run again and finds what the rival wrote.
 */
export async function insertProviderOrders(
  tx: Transaction,
  learned: readonly ProviderOrder[],
): Promise<void> {
  if (learned.length === 0) return;
  await tx.query({
    name: 'insert-provider-orders',
    text: `insert into provider_orders (${learnedRows.names}) select row.* from ${learnedRows.from}
            order by account_id, provider, provider_order_id`,
    values: learnedRows.toParameters(learned),
    hasRivals: true,
  });
}

/** Of a call that we made ourselves: a delivery may have been faster with it. */
export async function learnProviderOrder(tx: Transaction, learned: ProviderOrder): Promise<void> {
  await tx.query({
    name: 'learn-provider-order',
    text: `insert into provider_orders (${learnedRows.names}) select row.* from ${learnedRows.from}
           on conflict (account_id, provider, provider_order_id) do nothing`,
    values: learnedRows.toParameters([learned]),
  });
}
