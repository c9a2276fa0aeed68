/**
 * Flags: the reasons why a person should look at a transaction, an order or a delivery. Each says what has happened, as a
 * sentence for whoever does not know its code, and what to do about it. Contract 6.9, 13.6.
 */

const explained = (sentence: string, advice: string) => ({ sentence, advice });

const flagReasons = {
  amount_mismatch: explained(
    'The amount that was paid is not the amount of the order.',
    'Compare the amount with the order, then refund the payment or settle the difference with the consumer.',
  ),
  currency_mismatch: explained(
    'The payment is in another currency than the order.',
    'Refund the payment, or settle it with the consumer: its currency is not the order’s.',
  ),
  duplicate_capture: explained(
    'The order was paid more than once.',
    'Refund the payment: another one has paid for the order.',
  ),
  payment_reversed: explained(
    'A payment that had succeeded was taken back.',
    'Do not deliver, or ask for another payment: this one was taken back.',
  ),
  refund_conflict: explained(
    'The provider has reported the refund both as failed and as succeeded.',
    'Ask the provider whether the refund reached the consumer: it was reported both failed and succeeded.',
  ),
  over_refunded: explained(
    'More was refunded than was paid.',
    'Compare the refunds with the provider: together they exceed what was paid.',
  ),
  merchant_mismatch: explained(
    'The delivery is for another merchant ID than that of this account.',
    'Check the merchant ID of the account, or the notification settings at the provider.',
  ),
  reference_conflict: explained(
    'The delivery names several orders, so it was applied to none of them.',
    'Find out which of the named orders was paid; nothing was applied, so record it by hand if need be.',
  ),
  target_unknown: explained(
    'The provider has not said which payment this belongs to.',
    'Ask the provider which payment the capture, void or refund belongs to; it was applied to none.',
  ),
  not_captured: explained(
    'The payment was authorised and never captured.',
    'Capture the payment at the provider, or it is given back to the consumer after some days.',
  ),
  captured_after_void: explained(
    'The payment was captured although its void was requested.',
    'Refund the payment if it is not wanted: the provider has taken the money.',
  ),
  partially_captured: explained(
    'Only a part of the authorised amount was captured.',
    'Deliver what was paid for, or refund the payment: the rest of it was not captured.',
  ),
  refund_unknown: explained(
    'The provider says that more was refunded than the refunds that are known here.',
    'Wait until the refunds are read from the provider, which happens by itself. If it does not, check the provider’s keys and its list of refunds.',
  ),
  refund_voided: explained(
    'The refund was cancelled at the provider.',
    'Refund the payment again if the consumer is to get the money: the refund was voided.',
  ),
  partially_refunded: explained(
    'Only a part of the refund reached the consumer.',
    'Refund the rest again: one part of the refund reached the consumer and another failed.',
  ),
  refunded_late_payment: explained(
    'The payment succeeded after its order had lapsed or was cancelled, so it is refunded.',
    'See that the refund succeeds, and refund the payment again if it fails: it does not pay for the order.',
  ),
  too_many_transactions: explained(
    'The order has as many transactions as can be stored, so the delivery was not applied.',
    'Check what the shop sends as the reference of its payments: one order is named in too many of them.',
  ),
  dispute_conflict: explained(
    'The provider has reported a dispute both as won and as lost.',
    'Ask the provider how the dispute ended: it was reported both won and lost, and counts as lost.',
  ),
  dispute_amount_unknown: explained(
    'A dispute has no amount in the currency of the payment, so nothing of the payment can be refunded.',
    'Look at the dispute at the provider: its amount could not be read, so the whole payment counts as disputed.',
  ),
  refund_and_dispute: explained(
    'Refunds and disputes together exceed what was paid.',
    'Accept no further loss: send the provider the proof of the refund as evidence in the dispute.',
  ),
  chargeback: explained(
    'The consumer’s bank has reported a chargeback.',
    'Answer the chargeback at the provider in time, and do not deliver what is disputed.',
  ),
  dispute: explained(
    'The provider reports a dispute of the payment in words that are not known here.',
    'Look at the dispute at the provider, and answer it in time.',
  ),
  /** On deliveries only, because it depends on the order of arrival which body came first. */
  event_id_reused: explained(
    'Another delivery with the same event ID had different content.',
    'Compare the deliveries with this event ID, and change the webhook secret if the provider did not send both.',
  ),
};

export type ReviewFlag = keyof typeof flagReasons;

export const reviewReasons = {
  ...flagReasons,
  dead: explained(
    'The delivery could not be applied, and all tries are used up.',
    'Create the order it names and it is applied by itself, replay it once the cause is gone, or close it if it belongs to another business.',
  ),
  /** Listed until the dispute is final, or with the bank. Contract 17.5. */
  dispute_open: explained(
    'The consumer disputes the payment, and the provider waits for an answer.',
    'Send evidence at the provider before the deadline, or accept the dispute there. Do not refund the payment as well.',
  ),
  /** A delivery that needs a person and has no flag; it says itself why. */
  needs_review: explained(
    'The delivery could not be applied by itself.',
    'Read why in the delivery, then replay it once the cause is gone, or close it.',
  ),
};

export type ReviewReason = keyof typeof reviewReasons;

export const reviewFlags = Object.keys(flagReasons) as readonly ReviewFlag[];

/** These concern the delivery itself. All others follow from the state of its order, and are on it or a transaction. */
export const deliveryFlags: ReadonlySet<ReviewFlag> = new Set([
  'chargeback',
  'dispute',
  'event_id_reused',
  'too_many_transactions',
]);

export function adviceFor(reasons: readonly ReviewReason[]): string {
  return reasons.map((reason) => reviewReasons[reason].advice).join(' ');
}
