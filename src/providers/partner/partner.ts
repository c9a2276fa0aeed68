/** The payment partner: reports card, UPI, netbanking and wallet payments, and refunds. */
import { equalDigests } from '../../security/compare.ts';
import { hmacHex } from '../../security/hmac.ts';
import type { Provider } from '../provider.ts';
import { alternatives, jsonObject, text } from '../wire.ts';
import { partnerBanks, partnerWallets } from './choices.ts';
import { partnerErasing } from './erase.ts';
import { partnerOutbound } from './outbound.ts';
import { displayName, partnerSettings } from './settings.ts';
import { translatePartner } from './translate.ts';

const proofHeader = 'x-razorpay-signature';

/** Fields of any record. Of the merchant's notes only the invoice is exempt. Contract 8.5. */
const references = `id order_id invoice_id payment_id refund_id receipt utr batch_id offer_id offers offers.id
  offers.items.id customer_id token_id acquirer_data.arn acquirer_data.rrn acquirer_data.utr acquirer_data.auth_code
  acquirer_data.upi_transaction_id acquirer_data.bank_transaction_id acquirer_data.transaction_id upi.rrn
  notes.invoice_id`;
const amounts = 'amount base_amount amount_refunded amount_paid amount_due amount_deducted fee tax';

export const partner: Provider = {
  name: 'partner',
  displayName,
  paymentModeOtherwise: null,
  documentation: {
    loadSchema: async () => (await import('./schema.ts')).partnerSchema,
    proofDescription:
      'Hexadecimal HMAC-SHA256 of the raw bytes of the body under a live partner webhook secret of the account.',
    headers: {
      'x-razorpay-event-id': 'Identifier of the event. The same id with another body is flagged.',
    },
    acceptsFormData: false,
    examples: new URL('./examples.json', import.meta.url),
  },
  settings: partnerSettings,
  outbound: partnerOutbound,
  proofHeader,
  choices: { net_banking: partnerBanks, wallet: partnerWallets },
  accountCheck: { currency: 'INR', modeCodes: ['net_banking', 'upi', 'debit_card'] },
  verify: ({ headers, body }, secrets) => {
    const signature = headers[proofHeader];
    if (signature === undefined) return 'absent';
    let isVerified = false;
    for (const secret of secrets) {
      isVerified = equalDigests(hmacHex(secret, body), signature) || isVerified;
    }
    return isVerified ? 'verified' : 'refused';
  },
  findEventId: ({ headers }) => text(headers['x-razorpay-event-id']),
  findEventName: ({ body }) => text(jsonObject(body)?.event),
  findContentKey: () => undefined,
  storedHeaders: ['user-agent', 'x-razorpay-event-id'],
  exemptFields: { references: pathsOf(references), amounts: pathsOf(amounts) },
  translate: ({ body }) => translatePartner(body),
  erasing: partnerErasing,
};

/** A record is under its name in the payload, or one level deeper. */
function pathsOf(fields: string): RegExp {
  return new RegExp(`^(?:account_id|payload\\.\\w+(?:\\.entity)?\\.(?:${alternatives(fields)}))$`);
}
