/**
 * Finds orders of an account by what a person may have at hand. Each question is answered by one index, with the newest
 * order first if there are several.
 */
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { word } from '../../postgres/sql.ts';
import { listValues } from '../query.ts';

export function findIdsByKey(
  database: Queryable,
  accountId: string,
  column: 'order_id' | 'invoice_id',
  value: string,
) {
  return listValues<string>(database, [accountId, value])`
    select order_id from orders where account_id = $1 and ${word(column)} = $2`;
}

/** Sorts after every invoice that begins with the same text. */
const lastCharacter = '\u{10FFFF}';

/** Orders whose invoice begins with this text, by invoice. */
export function findIdsByInvoiceStart(
  database: Queryable,
  accountId: string,
  start: string,
  limit: number,
) {
  return listValues<string>(database, [accountId, start, start + lastCharacter, limit])`
    select order_id from orders
     where account_id = $1 and invoice_id >= $2 and invoice_id < $3 order by invoice_id limit $4`;
}

/** A transaction's id begins with the id of its order. */
export function findIdsByTransaction(database: Queryable, accountId: string, id: string) {
  return listValues<string>(database, [accountId, id])`
    select order_id from transactions
     where account_id = $1 and order_id = split_part($2, '-', 1) and transaction_id = $2`;
}

/** By a provider's id of a payment, a refund or an order. */
export function findIdsByProviderId(
  database: Queryable,
  accountId: string,
  providers: readonly ProviderName[],
  id: string,
) {
  return listValues<string>(database, [accountId, providers, id])`
    select order_id from transactions
     where account_id = $1 and provider = any($2::text[]) and type in ('payment', 'refund')
       and psp_transaction_id = $3
     union
    select order_id from provider_orders
     where account_id = $1 and provider = any($2::text[]) and provider_order_id = $3`;
}

export function findIdsByRefundRequest(database: Queryable, accountId: string, requestId: string) {
  return listValues<string>(database, [accountId, requestId])`
    select split_part(transaction_id, '-', 1) as order_id from refund_requests
     where account_id = $1 and refund_request_id = $2`;
}

/** The newest orders of each consumer. The index of consumers is read once for each of them. */
export async function findIdsByConsumers(
  database: Database,
  accountId: string,
  userIds: readonly string[],
  limitOfEach: number,
) {
  const found = await database.pipelined((connection) => {
    const search = (userId: string) =>
      listValues<string>(connection, [accountId, userId, limitOfEach])`
        select order_id from orders where account_id = $1 and user_id = $2
         order by order_id desc limit $3`;
    return Promise.all(userIds.map(search));
  });
  return found.flat().sort((a, b) => (a > b ? -1 : 1));
}

/** Among the newest orders of the account, those with this address in any case of the letters A to Z. */
export function findNewestIdsByEmail(
  database: Queryable,
  accountId: string,
  email: string,
  lookedAt: number,
) {
  return listValues<string>(database, [accountId, email, lookedAt])`
    select order_id from (
      select order_id, details -> 'user' ->> 'email' as email from orders
       where account_id = $1 order by order_id desc limit $3) newest
     where lower(email) = lower($2)`;
}
