/** The refund that each refund request id of a merchant belongs to. */
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { sql } from '../../postgres/sql.ts';
import { changesOne, execute, findValue } from '../query.ts';
import { hasId, type SavedTransaction } from './transactions.ts';

const isOwn = hasId(sql`r.transaction_id`);

/** The latest refund with the request id, also one that failed. */
export function findRefundOf(database: Queryable, accountId: string, refundRequestId: string) {
  return findValue<string>(database, [accountId, refundRequestId], 'find-refund-of-request')`
    select r.transaction_id from refund_requests r
     where r.account_id = $1 and r.refund_request_id = $2`;
}

/** A failed refund gives its request id back, so it is not found. */
export function findLiveRefundOf(tx: Transaction, accountId: string, refundRequestId: string) {
  return findValue<string>(tx, [accountId, refundRequestId], 'find-live-refund')`
    select r.transaction_id from refund_requests r
     where r.account_id = $1 and r.refund_request_id = $2
       and not exists (select from transactions t
                        where t.account_id = r.account_id and ${isOwn}
                          and t.status = 'failed')`;
}

/**
 * Claims a request id for a refund. False when another refund has it that did not fail. The primary key ends the race of
 * two refunds with one request id: the second waits until the first transaction ends.
 */
export async function claimRefundRequest(
  tx: Transaction,
  accountId: string,
  refundRequestId: string,
  transactionId: string,
) {
  const values = [accountId, refundRequestId, transactionId];
  const isNew = await changesOne(tx, values, 'claim-refund-request')`
    insert into refund_requests (account_id, refund_request_id, transaction_id)
    values ($1, $2, $3) on conflict (account_id, refund_request_id) do nothing`;
  if (isNew) return true;
  // It locks the row and reads it again, so of two refunds that follow a failed one the second finds the first.
  return changesOne(tx, values, 'take-refund-request')`
    update refund_requests r set transaction_id = $3
      from transactions t
     where r.account_id = $1 and r.refund_request_id = $2
       and t.account_id = $1 and ${isOwn} and t.status = 'failed'`;
}

/** Of a refund that nobody requested, so that it is found by its request id. An id that a merchant has used stays theirs. */
export async function insertRefundRequest(
  tx: Transaction,
  { accountId, transaction: { transactionId, start } }: SavedTransaction,
) {
  const values = [accountId, start?.refund?.requestId, transactionId];
  await execute(tx, values, 'insert-refund-request')`
    insert into refund_requests (account_id, refund_request_id, transaction_id)
    values ($1, $2, $3) on conflict (account_id, refund_request_id) do nothing`;
}
