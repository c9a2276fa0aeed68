/** Flags: the reasons why a person should look at a transaction, an order or a delivery. */
export type ReviewFlag =
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'duplicate_capture'
  | 'payment_reversed'
  | 'refund_conflict'
  | 'over_refunded'
  | 'merchant_mismatch'
  | 'reference_conflict'
  | 'target_unknown'
  | 'chargeback'
  | 'not_captured'
  | 'partially_captured'
  | 'refund_unknown'
  | 'refund_voided'
  | 'partially_refunded'
  | 'too_many_transactions'
  | 'dispute'
  /** On deliveries only, because it depends on the order of arrival which body came first. */
  | 'event_id_reused';
