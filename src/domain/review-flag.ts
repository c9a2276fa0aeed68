/**
 * Flags: the reasons why a person should look at a transaction, an order or a delivery. Each says what has happened, as a
 * sentence for whoever does not know its code, and what to do about it. Contract 6.9, 13.6.
 */

type Explained = { readonly sentence: string; readonly advice: string };

const flagReasons = {
  amount_mismatch: {
    sentence: 'The amount that was paid is not the amount of the order.',
    advice:
      'Compare the amount with the order, then refund the payment or settle the difference with the consumer.',
  },
  currency_mismatch: {
    sentence: 'The payment is in another currency than the order.',
    advice: 'Refund the payment, or settle it with the consumer: its currency is not the order’s.',
  },
  duplicate_capture: {
    sentence: 'The order was paid more than once.',
    advice: 'Refund the payment: another one has paid for the order.',
  },
  payment_reversed: {
    sentence: 'A payment that had succeeded was taken back.',
    advice: 'Do not deliver, or ask for another payment: this one was taken back.',
  },
  refund_conflict: {
    sentence: 'The provider has reported the refund both as failed and as succeeded.',
    advice:
      'Ask the provider whether the refund reached the consumer: it was reported both failed and succeeded.',
  },
  over_refunded: {
    sentence: 'More was refunded than was paid.',
    advice: 'Compare the refunds with the provider: together they exceed what was paid.',
  },
  merchant_mismatch: {
    sentence: 'The delivery is for another merchant ID than that of this account.',
    advice: 'Check the merchant ID of the account, or the notification settings at the provider.',
  },
  reference_conflict: {
    sentence: 'The delivery names several orders, so it was applied to none of them.',
    advice:
      'Find out which of the named orders was paid; nothing was applied, so record it by hand if need be.',
  },
  target_unknown: {
    sentence: 'The provider has not said which payment this belongs to.',
    advice:
      'Ask the provider which payment the capture, void or refund belongs to; it was applied to none.',
  },
  not_captured: {
    sentence: 'The payment was authorised and never captured.',
    advice:
      'Capture the payment at the provider, or it is given back to the consumer after some days.',
  },
  partially_captured: {
    sentence: 'Only a part of the authorised amount was captured.',
    advice: 'Deliver what was paid for, or refund the payment: the rest of it was not captured.',
  },
  refund_unknown: {
    sentence: 'The provider says that more was refunded than the refunds that are known here.',
    advice:
      'Wait until the refunds are read from the provider, which happens by itself. If it does not, check the provider’s keys and its list of refunds.',
  },
  refund_voided: {
    sentence: 'The refund was cancelled at the provider.',
    advice: 'Refund the payment again if the consumer is to get the money: the refund was voided.',
  },
  partially_refunded: {
    sentence: 'Only a part of the refund reached the consumer.',
    advice:
      'Refund the rest again: one part of the refund reached the consumer and another failed.',
  },
  too_many_transactions: {
    sentence:
      'The order has as many transactions as can be stored, so the delivery was not applied.',
    advice:
      'Check what the shop sends as the reference of its payments: one order is named in too many of them.',
  },
  chargeback: {
    sentence: 'The consumer’s bank has reported a chargeback.',
    advice: 'Answer the chargeback at the provider in time, and do not deliver what is disputed.',
  },
  dispute: {
    sentence: 'The consumer disputes the payment.',
    advice: 'Answer the dispute at the provider in time, and do not deliver what is disputed.',
  },
  /** On deliveries only, because it depends on the order of arrival which body came first. */
  event_id_reused: {
    sentence: 'Another delivery with the same event ID had different content.',
    advice:
      'Compare the deliveries with this event ID, and change the webhook secret if the provider did not send both.',
  },
} as const satisfies Readonly<Record<string, Explained>>;

export type ReviewFlag = keyof typeof flagReasons;

export const reviewReasons = {
  ...flagReasons,
  dead: {
    sentence: 'The delivery could not be applied, and all tries are used up.',
    advice:
      'Create the order it names and it is applied by itself, replay it once the cause is gone, or close it if it belongs to another business.',
  },
  /** A delivery that needs a person and has no flag; it says itself why. */
  needs_review: {
    sentence: 'The delivery could not be applied by itself.',
    advice: 'Read why in the delivery, then replay it once the cause is gone, or close it.',
  },
} as const satisfies Readonly<Record<string, Explained>>;

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
