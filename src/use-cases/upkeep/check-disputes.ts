/** What must hold for the disputes of an order and their rows. Pure. Contract 9.15 and 9.16. */
import { listChanges } from '../../domain/history.ts';
import { relateDisputes } from '../../domain/order-state/disputes.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { linkRefunds, openOrMade } from '../../domain/order-state/refund-links.ts';
import type { StoredDispute } from '../../store/disputes/dispute-rows.ts';
import type { Breach } from '../../store/upkeep/invariants.ts';
import { keyOf, type Listed, listDisputes } from '../order-state/list-changed-disputes.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';

/** Contract 9.15. The claims are read from the rows, and not with the code that sets the flag. */
export function checkDoubleLoss(
  { transactions }: LockedOrderState,
  rows: readonly StoredDispute[],
): Breach[] {
  const claims = rows.filter(({ dispute }) => !['won', 'closed'].includes(dispute.status));
  if (claims.length === 0) return [];
  const { listRefundsOf } = linkRefunds(transactions);
  return paymentsOf(transactions).flatMap((payment) => {
    const { transactionId, amount: paid, currency, partialCapture, unknownRefunds } = payment;
    const own = claims.filter((claim) => claim.transactionId === transactionId);
    const claimed = own.reduce((sum, { dispute }) => {
      const isUsable = dispute.currency === currency && (dispute.amount ?? 0) > 0;
      return sum + ((isUsable ? dispute.amount : paid) ?? 0);
    }, 0);
    const refunds = listRefundsOf(payment);
    const refunded = refunds.reduce((sum, refund) => sum + openOrMade(refund), unknownRefunds ?? 0);
    const captured = partialCapture?.captured ?? paid ?? 0;
    const isLost = claimed > 0 && refunded > 0 && claimed + refunded > captured;
    if (!isLost || payment.flags.includes('refund_and_dispute')) return [];
    const what = `${refunded} are refunded and ${claimed} are claimed of ${captured}, and it is not flagged`;
    return [{ where: transactionId, what }];
  });
}

/** Contract 9.16: what the order's notices fold to is what its payments show, and there is a row for each and no other. */
export function checkDisputes(orderState: LockedOrderState, rows: readonly StoredDispute[]) {
  const { order, transactions, disputeNotices = [] } = orderState;
  const shown = listDisputes(orderState);
  if (disputeNotices.length + shown.length + rows.length === 0) return [];
  const bare = transactions.map((entry) =>
    entry.type === 'payment' ? { ...entry, disputes: null } : entry,
  );
  const folded = listDisputes({
    transactions: relateDisputes({ transactions: bare, disputeNotices }),
  });
  return [
    ...compare(order.orderId, folded, shown, 'its payments show'),
    ...compare(order.orderId, folded, rows, 'the table "disputes" has'),
  ];
}

function compare(
  where: string,
  folded: readonly Listed[],
  found: readonly Listed[],
  source: string,
): Breach[] {
  const rest = new Map(found.map((entry) => [keyOf(entry), entry]));
  const wrong = folded.flatMap((entry) => {
    const other = rest.get(keyOf(entry));
    rest.delete(keyOf(entry));
    if (!other) return [`no dispute ${entry.dispute.disputeId}`];
    const fields = listChanges(flat(entry), flat(other)).map(({ field }) => field);
    if (fields.length === 0) return [];
    return [`another ${fields.join(', ')} of dispute ${entry.dispute.disputeId}`];
  });
  const strays = [...rest.values()].map(({ dispute }) => `a dispute ${dispute.disputeId} too many`);
  return [...wrong, ...strays].map((what) => ({
    where,
    what: `${source} ${what}: see "order rebuild"`,
  }));
}

const flat = ({ transactionId, dispute }: Listed) => ({ ...dispute, transactionId });
