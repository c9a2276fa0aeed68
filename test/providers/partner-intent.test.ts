/** UPI intents at the partner: a second call whose failure changes nothing of the payment. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import type { Answer, ProviderApi, ProviderRequest } from '../../src/providers/call.ts';
import type { PaymentToStart } from '../../src/providers/outbound.ts';
import { partnerOutbound } from '../../src/providers/partner/outbound.ts';
import { partnerPayment } from '../support/deliveries.ts';
import { foldPayment } from '../support/folded.ts';

const orderId = 'o_0123456789abcdef';
const transactionId = `${orderId}-261114100000`;
const invoiceId = '🍵'.repeat(255);
const payment: PaymentToStart = {
  transactionId,
  orderId,
  invoiceId,
  amount: 11_800,
  currency: 'INR',
  modeCode: 'upi',
  choice: {},
  description: 'For Asha, asha@example.com',
  shopName: 'Test shop',
  callbackUrl: 'https://shop.test/done',
  webhookUrl: 'https://service.test/api/v3/webhooks/partner/acc_1',
  consumer: { email: 'asha@example.com', phone: '+919876543210' },
};
const created = { id: 'order_1', status: 'created' };
const intentUrl = 'upi://pay?pa=teashop@okbank&pn=Tea%20Shop&tr=R1&am=118.00&cu=INR';
const onPage = { kind: 'done', providerOrderId: 'order_1' } as const;

describe('starting a payment with an intent', () => {
  test('asks for the intent of the order it has created, with the contact that the partner requires', async () => {
    const link = answered({ razorpay_payment_id: 'pay_1', link: intentUrl });
    const { made, api } = provider([answered(created, 200, 1_200), link]);
    const { answer, result } = await partnerOutbound.startPayment(api, payment);
    assert.equal(answer.durationMs, 1_200);
    const intentCall = { answer: link, outcome: 'done' };
    assert.deepEqual(result, { ...onPage, intentUrl, intentCall });
    assert.deepEqual(made.slice(1), [
      {
        method: 'POST',
        path: '/v1/payments/create/upi',
        user: 'rzp_test_1',
        body: {
          amount: 11_800,
          currency: 'INR',
          order_id: 'order_1',
          email: 'asha@example.com',
          contact: '+919876543210',
          method: 'upi',
          description: `Order ${'🍵'.repeat(249)}`,
          notes: {
            svc_transaction_id: transactionId,
            svc_order_id: orderId,
            invoice_id: invoiceId,
          },
          upi: { flow: 'intent' },
        },
        isRepeatable: false,
        answerMsMax: paymentLimits.providerAnswerMsMax - 1_200,
      },
    ]);
  });

  const failed: readonly (readonly [title: string, answer: Answer])[] = [
    ['refused', answered({ error: { description: 'asha@example.com is not allowed' } }, 400)],
    ['answered with an error of the server', unanswered('unknown')],
    ['never sent', unanswered('not-sent')],
    ['answered without a link', answered({ razorpay_payment_id: 'pay_1' })],
    ['answered with something else', answered({ link: { url: intentUrl } })],
  ];
  for (const [title, answer] of failed) {
    test(`leaves the payment to the partner's page when the call for the intent is ${title}`, async () => {
      const { api } = provider([created, answer]);
      const { result } = await partnerOutbound.startPayment(api, payment);
      assert.ok(result.kind === 'done');
      const { intentCall, ...rest } = result;
      assert.deepEqual(rest, onPage);
      assert.notEqual(intentCall?.outcome, 'done');
      // What the partner says about the consumer is in the answer only, which nobody stores.
      assert.ok(!JSON.stringify([rest, intentCall?.outcome]).includes('asha'));
    });
  }

  const without: readonly (readonly [
    title: string,
    more: Partial<PaymentToStart>,
    setting?: string,
  ])[] = [
    ['the setting is off', {}, 'off'],
    ['the payment is by card', { modeCode: 'credit_card' }],
    ['the order has no phone number', { consumer: { email: 'asha@example.com' } }],
    ['the order has no e-mail address', { consumer: { phone: '+919876543210' } }],
  ];
  for (const [title, more, setting] of without) {
    test(`is one call as before when ${title}`, async () => {
      const { made, api } = provider([created], setting);
      const { result } = await partnerOutbound.startPayment(api, { ...payment, ...more });
      assert.deepEqual([result, made.length], [onPage, 1]);
    });
  }

  test('does not ask for an intent of an order that was not created', async () => {
    const { made, api } = provider([unanswered('unknown')]);
    const { result } = await partnerOutbound.startPayment(api, payment);
    assert.deepEqual([result.kind, made.length], ['unknown', 1]);
  });
});

describe('the link of an intent', () => {
  const simulator = 'http://127.0.0.1:8090';
  const real = 'https://partner.test';
  const links: readonly (readonly [link: unknown, isUsed: boolean, apiUrl?: string])[] = [
    [intentUrl, true],
    ['UPI://PAY?PA=x&pa=tea@okbank', true],
    [`upi://pay?pa=tea@okbank&tn=${'x'.repeat(2_000 - 28)}`, true],
    [`upi://pay?pa=tea@okbank&tn=${'x'.repeat(2_000 - 26)}`, false],
    ['upi://pay', false],
    ['upi://pay?', false],
    ['upi://pay?pn=Tea', false],
    ['upi://pay?pa=', false],
    ['upi://mandate?pa=tea@okbank', false],
    ['upi://pay?pa=tea@okbank" onclick="x', false],
    ['upi://pay?pa=tea@okbank\nSet-Cookie: a', false],
    ['upi://pay?pa=tea@okbank<script>', false],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['tez://upi/pay?pa=tea@okbank', false],
    ['https://evil.example/upi', false],
    ['http://127.0.0.1:8090/upi/1', false],
    [null, false],
    [5, false],
    ['http://127.0.0.1:8090/upi/1', true, simulator],
    ['http://localhost:8090/upi/1', true, simulator],
    ['http://user@127.0.0.1:8090/upi/1', false, simulator],
    ['https://127.0.0.1:8090/upi/1', false, simulator],
    ['http://192.168.0.1/upi/1', false, simulator],
    ['http://evil.example/upi/1', false, simulator],
  ];
  for (const [link, isUsed, apiUrl = real] of links) {
    const shown = JSON.stringify(link)?.slice(0, 50);
    test(`${shown} from ${apiUrl} is ${isUsed ? 'used' : 'ignored'}`, async () => {
      const { api } = provider([created, { link }]);
      const { result } = await partnerOutbound.startPayment({ ...api, url: apiUrl }, payment);
      assert.ok(result.kind === 'done');
      assert.equal(result.intentUrl, isUsed ? link : undefined);
    });
  }
});

describe('the status of a payment with an intent', () => {
  const attempt = (fields: object) => partnerPayment({ id: 'pay_1', method: 'upi', ...fields });
  const attempts: readonly (readonly [
    title: string,
    items: object[],
    intent: boolean,
    tried: boolean,
  ])[] = [
    ['the intent alone is no try of the consumer', [attempt({ status: 'created' })], true, false],
    ['an attempt without an intent is one', [attempt({ status: 'created' })], false, true],
    ['another attempt is one', [attempt({ status: 'created', method: 'card' })], true, true],
    ['a failed intent is one', [attempt({ status: 'failed' })], true, true],
  ];
  for (const [title, items, hasIntent, wasTried] of attempts) {
    test(title, async () => {
      const { api } = provider([{ items }]);
      const start = {
        ...({ atMs: 0, amount: 11_800, currency: 'INR', call: 'taken' } as const),
        providerOrderId: 'order_1',
        ...(hasIntent && { intentUrl }),
      };
      const folded = { transactionId, provider: 'partner', start, notices: [] } as const;
      const transaction = foldPayment(folded, { total: 11_800, currency: 'INR' });
      const { result } = await partnerOutbound.fetchStatus(api, {
        orderId,
        transaction,
        now: new Date(1_763_100_000_000),
      });
      assert.ok(result.kind === 'done');
      assert.deepEqual([result.isKnown, result.wasTried], [true, wasTried]);
    });
  }
});

/** Answers the calls one after the other. */
function provider(answers: readonly (Answer | object)[], setting = 'on') {
  const made: ProviderRequest[] = [];
  const api: ProviderApi = {
    url: 'https://partner.test',
    login: 'rzp_test_1',
    secret: 'secret',
    settings: { 'upi-intent': setting },
    callProvider: async (_api, request) => {
      made.push(request);
      const answer = answers[made.length - 1] ?? assert.fail('one call too many');
      return 'kind' in answer ? (answer as Answer) : answered(answer);
    },
  };
  return { made, api };
}

function answered(body: object, status = 200, durationMs = 1): Answer {
  return { kind: 'answered', status, body: { ...body }, durationMs, tries: 1 };
}

function unanswered(kind: 'unknown' | 'not-sent'): Answer {
  return { kind, status: null, why: 'why', durationMs: 1, tries: 1 };
}
