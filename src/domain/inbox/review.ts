/** Flags that need a person: what to do about each, the ids by which they are closed, and notes. Contract 6.9. */
import { maskCardNumbers } from '../cards/card-numbers.ts';
import { isAccountId, isOrderId, isTransactionId } from '../ids.ts';
import { limits } from '../limits.ts';
import type { ReviewFlag } from '../review-flag.ts';

/** The type makes the compiler report a flag without advice. */
const advice: Readonly<Record<ReviewFlag, string>> = {
  amount_mismatch:
    'Compare the amount with the order, then refund the payment or settle the difference with the consumer.',
  currency_mismatch:
    'Refund the payment, or settle it with the consumer: its currency is not the order’s.',
  duplicate_capture: 'Refund the payment: another one has paid for the order.',
  payment_reversed: 'Do not deliver, or ask for another payment: this one was taken back.',
  refund_conflict:
    'Ask the provider whether the refund reached the consumer: it was reported both failed and succeeded.',
  over_refunded: 'Compare the refunds with the provider: together they exceed what was paid.',
  merchant_mismatch:
    'Check the merchant id of the account, or the notification settings at the bank gateway.',
  reference_conflict:
    'Find out which of the named orders was paid; nothing was applied, so record it by hand if need be.',
  target_unknown:
    'Ask the bank gateway which payment the capture, void or refund belongs to; it was applied to none.',
  not_captured:
    'Capture the payment at the provider, or it is given back to the consumer after some days.',
  partially_captured:
    'Deliver what was paid for, or refund the payment: the rest of it was not captured.',
  refund_voided:
    'Refund the payment again if the consumer is to get the money: the refund was voided.',
  partially_refunded:
    'Refund the rest again: one part of the refund reached the consumer and another failed.',
  too_many_transactions:
    'Check what the shop sends as the reference of its payments: one order is named in too many of them.',
  chargeback:
    'Answer the chargeback at the bank gateway in time, and do not deliver what is disputed.',
  dispute:
    'Answer the dispute at the payment partner in time, and do not deliver what is disputed.',
  event_id_reused:
    'Compare the deliveries of this event id, and change the webhook secret if the provider did not send both.',
};

export const reviewFlags = Object.keys(advice) as ReviewFlag[];

export const adviceForDead =
  'Create the order it names and it is applied by itself, replay it once the cause is gone, or close it if it belongs to another business.';

export function adviceFor(flags: readonly ReviewFlag[]): string {
  return flags.map((flag) => advice[flag]).join(' ');
}

export type FlagName = {
  readonly accountId: string;
  /** The transaction that has the flag, or the order. */
  readonly subject: string;
  readonly flag: ReviewFlag;
};

/** The id contains the account, so that an operator needs nothing but the id. */
export function flagIdOf({ accountId, subject, flag }: FlagName): string {
  return `${accountId}/${subject}:${flag}`;
}

export function findFlagName(id: string): FlagName | undefined {
  const [, accountId = '', subject = '', flag = ''] = /^([^/]+)\/([^:]+):(.+)$/.exec(id) ?? [];
  const isSubject = isOrderId(subject) || isTransactionId(subject);
  if (!isAccountId(accountId) || !isSubject || !Object.hasOwn(advice, flag)) return undefined;
  return { accountId, subject, flag: flag as ReviewFlag };
}

/** A transaction id starts with the id of its order. */
export function orderIdOf(subject: string): string {
  return subject.split('-')[0] ?? subject;
}

/** A note as it may be stored; undefined if it is empty or too long. */
export function findNote(text: string): string | undefined {
  const note = maskCardNumbers(text.trim());
  return note.length >= 1 && note.length <= limits.textCharsMax ? note : undefined;
}
