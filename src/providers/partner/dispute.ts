/** Translates what the partner reports about a dispute, in an event or in the answer to a poll. Contract 17.2. */
import { type DisputeNotice, disputeStatuses } from '../../domain/disputes/dispute.ts';
import { type Translation, unreadable } from '../../domain/inbox/translation.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import { id, minorUnits, text, unixSeconds, type WireObject } from '../wire.ts';
import { partnerReferences, readRecord } from './payment.ts';
import { displayName } from './settings.ts';

export const disputeEvents = 'payment.dispute.';
/** Asks for an answer, and says nothing about the status. */
const actionRequired = `${disputeEvents}action_required`;

/** The payment in the body may be in any state, so only its ids are read. */
export function translateDispute(
  event: string,
  envelope: WireObject,
  payload: WireObject,
): Translation {
  const entity = readRecord(payload.dispute);
  const payment = readRecord(payload.payment);
  const disputeId = id(entity.id);
  const pspTransactionId = id(entity.payment_id) ?? id(payment.id);
  if (disputeId === undefined) return unreadable('the dispute has no id');
  if (pspTransactionId === undefined) return unreadable('the dispute names no payment');
  const references = partnerReferences({ payment, refund: {}, order: readRecord(payload.order) });
  const reported = text(entity.status) ?? statusByEvent.get(event) ?? wordOf(event);
  const status = disputeStatuses.find((known) => known === reported);
  if (status === undefined) {
    const why = `${displayName} reports a dispute with a status that is not known: ${reported}`;
    const names = { references, payment: { pspTransactionId } };
    return { kind: 'report', state: 'needs_review', names, why, flags: ['dispute'] };
  }
  const dispute = withoutAbsent({
    ...toFields(entity),
    disputeId,
    paymentPspId: pspTransactionId,
    ...(event === actionRequired ? { asksForAction: true } : { status }),
    isRead: envelope.read_at === undefined ? undefined : true,
    occurredAtMs: unixSeconds(envelope.read_at ?? envelope.created_at),
  }) as DisputeNotice;
  return { kind: 'notice', notice: { references, dispute } };
}

/** Without a status in the record the event names it. */
const statusByEvent: ReadonlyMap<string, string> = new Map([
  [`${disputeEvents}created`, 'open'],
  [actionRequired, 'open'],
]);
const wordOf = (event: string) => event.slice(disputeEvents.length);

function toFields(entity: WireObject) {
  return {
    phase: text(entity.phase),
    reasonCode: text(entity.reason_code),
    reason: text(entity.reason_description),
    amount: minorUnits(entity.amount),
    currency: text(entity.currency),
    amountDeducted: minorUnits(entity.amount_deducted),
    respondByMs: unixSeconds(entity.respond_by),
    createdAtMs: unixSeconds(entity.created_at),
  };
}
