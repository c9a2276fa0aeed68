/** Which refund has a request id of the merchant's. */
import type { Transaction } from './database.ts';
import { hasId } from './transactions.ts';

/**
 * Takes a refund request id for a refund. False when another refund has it that is not failed; the row
 * is locked until the transaction ends, so a rival waits and is told.
 */
export async function takeRefundRequest(
  tx: Transaction,
  accountId: string,
  refundRequestId: string,
  transactionId: string,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'take-refund-request',
    text: `insert into refund_requests as r (account_id, refund_request_id, transaction_id)
           values ($1, $2, $3)
           on conflict (account_id, refund_request_id) do update
              set transaction_id = excluded.transaction_id
            where exists (select from transactions t
                           where t.account_id = r.account_id and ${hasId('r.transaction_id')}
                             and t.status = 'failed')`,
    values: [accountId, refundRequestId, transactionId],
  });
  return rowCount === 1;
}
