/** Reads rows of the table `disputes` as domain objects. */
import type { Dispute } from '../../domain/disputes/dispute.ts';
import type { Queryable } from '../../postgres/database.ts';
import { columnsOf } from '../../postgres/sql.ts';
import type { OrderKey } from '../order-rows.ts';
import { listRows } from '../query.ts';
import type { SavedDispute } from './disputes.ts';

export type StoredDispute = Omit<SavedDispute, 'nextPollAt'>;

export type DisputeRow = Omit<StoredDispute, 'dispute'> &
  Omit<Dispute, 'respondByMs' | 'createdAtMs'> & {
    readonly respondBy: Date | null;
    readonly createdAt: Date | null;
  };

export const disputeColumns = columnsOf(
  'accountId, orderId, provider, disputeId, transactionId, status, phase, reasonCode, reason, amount, currency, amountDeducted, respondBy, actionRequired, createdAt, changedAt',
);

export function toStoredDispute(row: DisputeRow): StoredDispute {
  const { accountId, orderId, provider, transactionId, changedAt } = row;
  const { disputeId, status, phase, reasonCode, reason, amount, currency, amountDeducted } = row;
  const dispute = {
    disputeId,
    status,
    phase,
    reasonCode,
    reason,
    amount,
    currency,
    amountDeducted,
    respondByMs: row.respondBy?.getTime() ?? null,
    actionRequired: row.actionRequired,
    createdAtMs: row.createdAt?.getTime() ?? null,
  };
  return { accountId, orderId, provider, transactionId, changedAt, dispute };
}

export async function listDisputesOfOrder(database: Queryable, { accountId, orderId }: OrderKey) {
  const rows = await listRows<DisputeRow>(database, [accountId, orderId])`
    select ${disputeColumns} from disputes where account_id = $1 and order_id = $2`;
  return rows.map(toStoredDispute);
}
