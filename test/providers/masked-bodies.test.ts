/** Masking a stored body never changes its translation. Contract 8.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOrderId } from '../../src/domain/ids.ts';
import { newTransactionId } from '../../src/domain/order-state/matching.ts';
import { bankGateway } from '../../src/providers/bank-gateway/bank-gateway.ts';
import { partner } from '../../src/providers/partner/partner.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { maskDelivery } from '../../src/use-cases/inbox/new-delivery.ts';
import { createDealer, jsonNumber, spellForm, spellJson } from '../support/card-disguises.ts';
import {
  flatPartnerEvent,
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
} from '../support/deliveries.ts';

type Fields = Record<string, unknown>;

const dealer = createDealer(Date.now() % 2 ** 31);
const { dealPlain } = dealer;
/** A reference and an amount that look like card numbers. */
const reference = () => dealPlain('a reference');
const amount = () => '4222222222222';

function assertSameMeaning(provider: Provider, text: string): void {
  const body = Buffer.from(text);
  const masked = maskDelivery(body, provider.exemptFields);
  const read = (bytes: Buffer) =>
    provider.translate({ headers: {}, body: bytes }, { expectedMerchant: null });
  assert.equal(read(body).kind, 'notice', text);
  assert.deepEqual(read(masked), read(body));
  assert.deepEqual(maskDelivery(masked, provider.exemptFields), masked);
}

/** Our own ids in the notes, with random digits. */
function ownNotes(): Fields {
  const at = new Date(1.8e12 * Math.random());
  const orderId = newOrderId(at);
  return {
    svc_order_id: orderId,
    svc_transaction_id: newTransactionId(orderId, new Set(), at),
    invoice_id: reference(),
  };
}

test('references and amounts of the partner that look like card numbers are not masked', () => {
  for (let round = 0; round < 100; round += 1) {
    const payment = partnerPayment({
      id: reference(),
      order_id: reference(),
      offer_id: reference(),
      amount: jsonNumber(amount()),
      method: dealer.pick(['card', 'upi', 'netbanking', 'wallet']),
      acquirer_data: Object.fromEntries(
        [
          'arn',
          'rrn',
          'auth_code',
          'upi_transaction_id',
          'bank_transaction_id',
          'transaction_id',
        ].map((name) => [name, reference()]),
      ),
      notes: ownNotes(),
    });
    const refund = partnerRefund(payment, {
      id: reference(),
      receipt: reference(),
      acquirer_data: { utr: reference(), arn: null },
      notes: ownNotes(),
    });
    const order = { id: reference(), receipt: reference(), amount: jsonNumber(amount()) };
    const records = { payment, refund, order: { ...order, offers: [reference()] } };
    for (const write of [partnerEvent, flatPartnerEvent]) {
      assertSameMeaning(partner, spellJson(write('payment.captured', records), dealer));
      assertSameMeaning(partner, spellJson(write('refund.processed', records), dealer));
    }
  }
});

test('references and amounts of the bank gateway that look like card numbers are not masked, as JSON and as form data', () => {
  for (let round = 0; round < 100; round += 1) {
    const body = gatewayBody({
      merchant: reference(),
      order: {
        id: reference(),
        reference: reference(),
        amount: jsonNumber(amount()),
        totalCapturedAmount: amount(),
        currency: 'JPY',
      },
      transaction: {
        id: reference(),
        targetTransactionId: reference(),
        reference: reference(),
        receipt: dealer.pick([reference(), undefined]),
        authorizationCode: reference(),
        amount: amount(),
        currency: 'JPY',
        acquirer: { id: reference(), transactionId: reference(), batch: reference() },
        type: dealer.pick(['PAYMENT', 'CAPTURE', 'REFUND', 'VOID_PAYMENT']),
      },
      response: {
        gatewayCode: 'APPROVED',
        acquirerMessage: 'Approved',
        cardSecurityCode: { gatewayCode: 'MATCH', acquirerCode: 'M' },
      },
    });
    for (const spell of [spellJson, spellForm]) assertSameMeaning(bankGateway, spell(body, dealer));
  }
});

test('a body without card data is stored as its own bytes', () => {
  // Fixed ids: digits around an "e" would make a random one look like a number, and the body is then read.
  const notes = { svc_order_id: 'o_0NkYqzWbTrPxVmHs' };
  const payment = partnerPayment({ id: 'pay_LZ7rTqkY6Pm3xA', notes });
  const bytes = Buffer.from(JSON.stringify(partnerEvent('payment.captured', { payment })));
  assert.equal(maskDelivery(bytes, partner.exemptFields), bytes);
  const gateway = Buffer.from(JSON.stringify(gatewayBody({ order: { id: 'o_1' } })));
  assert.equal(maskDelivery(gateway, bankGateway.exemptFields), gateway);
});

test('a card number in a second field of the same name is masked too', () => {
  const bytes = Buffer.from('{"a":"4111111111111111","a":1,"event":"x"}');
  assert.equal(maskDelivery(bytes, partner.exemptFields).toString(), '{"a":1,"event":"x"}');
});

test('the card of a payment shows at most ten digits', () => {
  const numbers = [
    '4111 1111 1111 1111',
    '4111111111111112',
    '９９９９-8888-7777-6666',
    '1'.repeat(25),
  ];
  for (const number of numbers) {
    const body = gatewayBody({
      order: { id: 'o_1' },
      sourceOfFunds: { provided: { card: { number, fundingMethod: 'CREDIT' } } },
    });
    const translation = bankGateway.translate(
      { headers: {}, body: Buffer.from(JSON.stringify(body)) },
      { expectedMerchant: null },
    );
    assert.ok(translation.kind === 'notice');
    const shown = translation.notice.payment?.subPaymentMode?.masked_card ?? '';
    assert.equal(shown.normalize('NFKC').match(/\d/g)?.length, 10, shown);
  }
  const card = { last4: '4111111111111111', iin: '411111111111', type: 'credit' };
  const event = partnerEvent('payment.captured', { payment: partnerPayment({ card }) });
  const translation = partner.translate(
    { headers: {}, body: Buffer.from(JSON.stringify(event)) },
    { expectedMerchant: null },
  );
  assert.ok(translation.kind === 'notice');
  assert.equal(translation.notice.payment?.subPaymentMode?.masked_card, '411111******1111');
});
