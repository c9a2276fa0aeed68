/** Which orders a delivery's references name. */
import type { Notice, ProviderName, References } from '../domain/notice.ts';
import type { Queryable, Transaction } from './database.ts';

/** The orders of the account that the notice names, each once. Decision 6.4. */
export async function findReferencedOrders(
  database: Queryable,
  accountId: string,
  provider: ProviderName,
  notice: Notice,
): Promise<string[]> {
  for (const references of [notice.references, ...(notice.references.otherwise ?? [])]) {
    const orders = await findOrders(database, accountId, provider, notice, references);
    if (orders.length > 0) return orders;
  }
  return [];
}

/**
 * Deliveries of one provider's order must agree on ours from the first that names it. The order that
 * is known for it: of two that come at once and disagree, the second waits and is told.
 */
export async function learnProviderOrder(
  tx: Transaction,
  accountId: string,
  provider: ProviderName,
  providerOrderId: string,
  orderId: string,
): Promise<string> {
  const { rows } = await tx.query<{ order_id: string }>({
    name: 'learn-provider-order',
    text: `insert into provider_orders (account_id, provider, provider_order_id, order_id)
           values ($1, $2, $3, $4)
           on conflict (account_id, provider, provider_order_id)
           do update set order_id = provider_orders.order_id
           returning order_id`,
    values: [accountId, provider, providerOrderId, orderId],
  });
  return rows[0]?.order_id ?? orderId;
}

async function findOrders(
  database: Queryable,
  accountId: string,
  provider: ProviderName,
  { payment, refund }: Notice,
  references: References,
): Promise<string[]> {
  const paymentIds = [payment?.pspTransactionId, refund?.paymentPspId].filter(Boolean);
  const { rows } = await database.query<{ order_id: string }>({
    name: 'find-referenced-orders',
    text: `select order_id from transactions
            where account_id = $1 and provider = $2 and type = 'payment'
              and psp_transaction_id = any($3::text[])
           union
           select order_id from transactions
            where account_id = $1 and provider = $2 and type = 'refund' and psp_transaction_id = $4
           union
           select order_id from provider_orders
            where account_id = $1 and provider = $2 and provider_order_id = $5
           union
           select order_id from transactions
            where account_id = $1 and transaction_id = any($6::text[])
           union
           select order_id from orders where account_id = $1 and order_id = any($7::text[])
           union
           select order_id from orders where account_id = $1 and invoice_id = any($8::text[])`,
    values: [
      accountId,
      provider,
      paymentIds,
      refund?.pspTransactionId ?? null,
      references.providerOrderId ?? null,
      references.transactionIds,
      references.orderIds,
      references.invoiceIds,
    ],
  });
  return rows.map((row) => row.order_id);
}
