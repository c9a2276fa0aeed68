/** Finds orders of an account by what a person may have at hand. Each question is answered by one index. */
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { listValues } from '../query.ts';

/** Newest first, if there are several. */
export type FoundIds = readonly string[];

export async function findIdsByKey(
  database: Queryable,
  accountId: string,
  column: 'order_id' | 'invoice_id',
  value: string,
): Promise<FoundIds> {
  return listIds(database, `select order_id from orders where account_id = $1 and ${column} = $2`, [
    accountId,
    value,
  ]);
}

/** Sorts after every invoice that begins with the same text. */
const lastCharacter = '\u{10FFFF}';

/** Orders whose invoice begins with this text, by invoice. */
export async function findIdsByInvoiceStart(
  database: Queryable,
  accountId: string,
  start: string,
  limit: number,
): Promise<FoundIds> {
  return listIds(
    database,
    `select order_id from orders
      where account_id = $1 and invoice_id >= $2 and invoice_id < $3 order by invoice_id limit $4`,
    [accountId, start, start + lastCharacter, limit],
  );
}

/** A transaction's id begins with the id of its order. */
export async function findIdsByTransaction(
  database: Queryable,
  accountId: string,
  transactionId: string,
): Promise<FoundIds> {
  return listIds(
    database,
    `select order_id from transactions
      where account_id = $1 and order_id = split_part($2, '-', 1) and transaction_id = $2`,
    [accountId, transactionId],
  );
}

/** By a provider's id of a payment, a refund or an order. */
export async function findIdsByProviderId(
  database: Queryable,
  accountId: string,
  providers: readonly ProviderName[],
  id: string,
): Promise<FoundIds> {
  return listIds(
    database,
    `select order_id from transactions
      where account_id = $1 and provider = any($2::text[]) and type in ('payment', 'refund')
        and psp_transaction_id = $3
      union
     select order_id from provider_orders
      where account_id = $1 and provider = any($2::text[]) and provider_order_id = $3`,
    [accountId, providers, id],
  );
}

export async function findIdsByRefundRequest(
  database: Queryable,
  accountId: string,
  refundRequestId: string,
): Promise<FoundIds> {
  return listIds(
    database,
    `select split_part(transaction_id, '-', 1) as order_id from refund_requests
      where account_id = $1 and refund_request_id = $2`,
    [accountId, refundRequestId],
  );
}

/** The newest orders of each consumer. The index of consumers is read once for each of them. */
export async function findIdsByConsumers(
  database: Database,
  accountId: string,
  userIds: readonly string[],
  limitOfEach: number,
): Promise<FoundIds> {
  const found = await database.pipelined((connection) =>
    Promise.all(
      userIds.map((userId) =>
        listIds(
          connection,
          `select order_id from orders where account_id = $1 and user_id = $2
            order by order_id desc limit $3`,
          [accountId, userId, limitOfEach],
        ),
      ),
    ),
  );
  return found.flat().sort((a, b) => (a > b ? -1 : 1));
}

/** Among the newest orders of the account, those with this address in any case of the letters A to Z. */
export async function findNewestIdsByEmail(
  database: Queryable,
  accountId: string,
  email: string,
  lookedAt: number,
): Promise<FoundIds> {
  return listIds(
    database,
    `select order_id from (
       select order_id, details -> 'user' ->> 'email' as email from orders
        where account_id = $1 order by order_id desc limit $3) newest
      where lower(email) = lower($2)`,
    [accountId, email, lookedAt],
  );
}

function listIds(database: Queryable, text: string, values: readonly unknown[]) {
  return listValues<string>(database, { text, values });
}
