/** The fields of the partner's body that stay when its consumer is erased: all that `translate.ts` reads. */
import { createErasing, leaves, type Shape } from '../erase.ts';

const notes = leaves(
  'keep',
  'svc_transaction_id svc_order_id order_id invoice_id refund_request_id',
);

const acquirerData = leaves(
  'keep',
  'arn rrn utr auth_code upi_transaction_id bank_transaction_id transaction_id',
);

const payment: Shape = {
  ...leaves('keep', 'id amount base_amount amount_refunded currency status order_id method'),
  ...leaves('keep', 'refund_status captured international offer_id fee tax fee_bearer created_at'),
  ...leaves('text', 'bank wallet'),
  ...leaves('text', 'error_code error_description error_source error_step error_reason'),
  ...leaves('word', 'email vpa'),
  contact: 'phone',
  card: {
    ...leaves('text', 'network type issuer'),
    ...leaves('keep', 'last4 iin international emi sub_type'),
    name: 'word',
  },
  upi: { vpa: 'word', flow: 'text' },
  notes,
  acquirer_data: acquirerData,
};

const refund: Shape = {
  ...leaves('keep', 'id amount currency payment_id receipt status created_at'),
  ...leaves('keep', 'speed_requested speed_processed'),
  notes,
  acquirer_data: acquirerData,
};

/** A list of ids, or a collection of records with ids. */
const offers: Shape = { '': 'keep', id: 'keep', items: { '': 'keep', id: 'keep' } };

const order: Shape = {
  ...leaves('keep', 'id amount currency receipt status created_at'),
  offers,
  notes,
};

const dispute: Shape = {
  ...leaves('keep', 'id payment_id amount amount_deducted currency status phase'),
  // The bank's words for the kind of dispute, which every dispute of the kind has.
  ...leaves('keep', 'reason_code reason_description respond_by created_at'),
};

/** A record is nested under `entity`, or flat; then `entity` is the name of its type. */
function recordOf(fields: Shape): Shape {
  return { ...fields, entity: { '': 'keep', ...fields } };
}

export const partnerErasing = createErasing({
  ...leaves('keep', 'entity account_id event contains created_at read_at'),
  payload: {
    payment: recordOf(payment),
    refund: recordOf(refund),
    order: recordOf(order),
    dispute: recordOf(dispute),
  },
});
