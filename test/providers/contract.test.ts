/** The contract of providers over those that the service ships with. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getProvider, providers } from '../../src/providers/providers.ts';
import {
  flatPartnerEvent,
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  signPartner,
  toFormData,
} from '../support/deliveries.ts';
import {
  type ProviderFixture,
  testProviderContract,
} from '../support/provider-contract/contract.ts';

const payment = partnerPayment({
  id: 'pay_LZ7rTqkY6Pm3xA',
  order_id: 'order_LZ7pXQNdQ2kS1f',
  notes: { invoice_id: 'INV-1' },
});
const refund = partnerRefund(payment, { id: 'rfnd_LZ8bMGtX0pVq4s', receipt: 'RR-1' });

const fixtures: Readonly<Record<string, ProviderFixture>> = {
  partner: {
    prove: (bytes, secret) => ({ 'x-razorpay-signature': signPartner(bytes, secret) }),
    proofCoversBytes: true,
    keyHeader: 'x-razorpay-event-id',
    bodies: [
      partnerEvent('payment.captured', { payment }),
      partnerEvent('payment.failed', {
        payment: { ...payment, status: 'failed', error_reason: 'incorrect_otp' },
      }),
      partnerEvent('order.paid', { payment, order: { id: payment.order_id, receipt: 'INV-1' } }),
      partnerEvent('refund.processed', { refund, payment: { ...payment, status: 'refunded' } }),
      flatPartnerEvent('refund.failed', { refund, payment }),
    ],
    otherForms: [],
    textPaths: [['payload', 'payment', 'entity', 'error_description']],
    idPaths: [['event'], ['payload']],
  },
  'bank-gateway': {
    prove: (_bytes, secret) => ({ 'x-notification-secret': secret }),
    proofCoversBytes: false,
    keyHeader: 'x-notification-id',
    bodies: [
      gatewayBody({ order: { id: 'o_1', reference: 'INV-1' } }),
      gatewayBody({
        order: { id: 'o_1' },
        result: 'FAILURE',
        response: { gatewayCode: 'DECLINED', risk: { gatewayCode: 'ACCEPTED' } },
      }),
      gatewayBody({
        order: { id: 'o_1' },
        transaction: { id: '2', type: 'CAPTURE', targetTransactionId: '1' },
      }),
      gatewayBody({ order: { id: 'o_1' }, transaction: { id: '3', type: 'REFUND' } }),
    ],
    // Half of a surrogate pair has no percent-encoding.
    otherForms: [(body) => toFormData(JSON.parse(JSON.stringify(body).replaceAll('\\ud800', '?')))],
    textPaths: [['response', 'acquirerMessage']],
    idPaths: [['order', 'id'], ['transaction', 'id'], ['transaction', 'type'], ['order']],
  },
};

// Read once: another test of this folder registers a provider of its own.
const shipped = providers.map(({ name }) => name);

test('every provider has its fixtures', () => {
  assert.deepEqual(Object.keys(fixtures), shipped);
});

for (const [name, fixture] of Object.entries(fixtures)) {
  testProviderContract(getProvider(name), fixture);
}
