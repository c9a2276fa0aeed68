/** The fields of the partner's deliveries that are not masked, although a value may look like a card number. */
import type { ExemptFields } from '../../domain/cards/card-fields.ts';

/** Fields of any record. Of the merchant's notes only the invoice is exempt. Contract 8.5. */
const references = [
  ...['id', 'order_id', 'invoice_id', 'payment_id', 'refund_id', 'receipt', 'utr', 'batch_id'],
  ...['offer_id', 'offers', 'offers.id', 'offers.items.id', 'customer_id', 'token_id'],
  ...['acquirer_data.arn', 'acquirer_data.rrn', 'acquirer_data.utr', 'acquirer_data.auth_code'],
  ...['acquirer_data.upi_transaction_id', 'acquirer_data.bank_transaction_id'],
  ...['acquirer_data.transaction_id', 'upi.rrn', 'notes.invoice_id'],
];
const amounts = [
  ...['amount', 'base_amount', 'amount_refunded', 'amount_paid', 'amount_due', 'amount_deducted'],
  ...['fee', 'tax'],
];

export const partnerExemptFields: ExemptFields = {
  references: pathsOf(references),
  amounts: pathsOf(amounts),
};

/** A record is under its name in the payload, or one level deeper. */
function pathsOf(fields: readonly string[]): RegExp {
  const names = fields.map((field) => field.replaceAll('.', '\\.')).join('|');
  return new RegExp(`^(?:account_id|payload\\.\\w+(?:\\.entity)?\\.(?:${names}))$`);
}
