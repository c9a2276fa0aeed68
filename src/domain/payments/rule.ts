/** The rules by which a field of a transaction gets its value, and by which other reports lose. */

/** What decides the status of a payment. */
export type StatusRule =
  | 'highest-status'
  | 'captured-in-full'
  | 'captured-in-part'
  | 'captured-and-rest-voided'
  | 'captured-unknown-amount'
  | 'paid-in-part'
  | 'voided'
  | 'void-pending';

export type Rule =
  | StatusRule
  /** How a value is chosen. */
  | 'highest-report'
  | 'own-request'
  | 'own-record'
  | 'earliest'
  | 'last-capture'
  | 'captures-counted'
  | 'captured-total'
  | 'authorized-amount'
  | 'offer-difference'
  | 'parts'
  | 'refund-voided'
  | 'only-while-failed'
  | 'only-when-final'
  | 'time-passed'
  | 'reported-flags'
  | 'follows-from-state'
  | 'another-payment'
  | 'refunds-elsewhere'
  | 'stored-differently'
  /** Why another report does not set it. */
  | 'also-reported'
  | 'later-time'
  | 'delivery-key'
  | 'report-before-request'
  | 'without-effect'
  | 'other-record'
  | 'other-status'
  | 'capture-not-done'
  | 'capture-voided'
  | 'above-captured-total'
  | 'one-step'
  | 'void-failed'
  | 'void-of-capture';
