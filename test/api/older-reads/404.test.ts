/** What the reads of older SDKs refuse: the errors of the enquiry. Contract 5.1 and 11.11. */
import { test } from 'node:test';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, shop, openShop, createPaid, refund } = await startJourney();
const { token } = shop;
const paid = await createPaid();
const other = await createPaid();
const made = await refund({ transaction_id: paid.transactionId, refund_request_id: 'RETURN-1' });
await simulator.settled();
const refundId = String(made.body.transaction_id);
const stranger = await openShop();
const own = await service.call('/api/v3/create-order', { token, body: orderBody() });
const ownToken = String(own.body.token);

const every = [
  'fetch-transaction',
  'order/fetch-transactions',
  'fetch-refund',
  'order/fetch-refunds',
  'transaction/fetch-refunds',
];
const unknown: [ids: Record<string, string>, code: ErrorCode][] = [
  [{ transaction_id: 'o_0000000000000000-010101000000' }, 'TRANSACTION_NOT_FOUND'],
  [{ transaction_id: paid.transactionId, order_id: 'o_0000000000000000' }, 'ORDER_NOT_FOUND'],
  [{ transaction_id: refundId, invoice_id: 'none' }, 'INVOICE_NOT_FOUND'],
];
for (const path of every) {
  test(`${path} with an unknown id, or one of another account or order, is not found`, async () => {
    for (const [body, code] of unknown) {
      assertRefused(await service.call(`/api/v2/${path}`, { token, body }), code);
    }
    const body = { transaction_id: paid.transactionId };
    for (const who of [stranger.token, ownToken]) {
      const reply = await service.call(`/api/v2/${path}`, { token: who, body });
      assertRefused(reply, 'TRANSACTION_NOT_FOUND');
    }
  });

  test(`${path} without an id, or with ids that disagree, is refused`, async () => {
    const none = await service.call(`/api/v2/${path}`, { token, body: { order_id: '' } });
    assertRefused(none, 'INVALID_REQUEST_PARAMETER', /transaction_id/);
    const disagreeing = { transaction_id: paid.transactionId, order_id: other.orderId };
    const both = await service.call(`/api/v2/${path}`, { token, body: disagreeing });
    assertRefused(both, 'INVALID_REQUEST_PARAMETER', /do not belong together/);
    const twice = { transaction_id: paid.transactionId, svc_transaction_id: refundId };
    const two = await service.call(`/api/v2/${path}`, { token, body: twice });
    assertRefused(two, 'INVALID_REQUEST_PARAMETER', 'svc_transaction_id is another name');
    const without = await service.call(`/api/v2/${path}`, { body: {} });
    assertRefused(without, 'AUTHENTICATION_FAILED', /Bearer/);
  });
}

test('get-order does not find an unknown order, that of another account or another one of the account', async () => {
  for (const [id, who] of [
    ['o_0000000000000000', token],
    [own.body.invoice_id, token],
    ["' or 1=1 --", token],
    [paid.orderId, stranger.token],
    [paid.orderId, ownToken],
  ]) {
    const path = `/api/v2/get-order/${encodeURIComponent(id)}`;
    assertRefused(await service.call(path, { token: who }), 'ORDER_NOT_FOUND');
  }
  const nul = await service.call('/api/v2/get-order/o_%00', { token });
  assertRefused(nul, 'INVALID_REQUEST_PARAMETER', 'order_id');
});

test('a payment is no refund, a refund is no payment, and a request id is known in its account and order only', async () => {
  const cases: [path: string, body: object, who: string, words?: string][] = [
    ['fetch-refund', { transaction_id: paid.transactionId }, token, 'No refund'],
    ['fetch-refund', { refund_request_id: 'RETURN-2' }, token, 'No refund'],
    ['fetch-refund', { refund_request_id: 'RETURN-1' }, stranger.token, 'No refund'],
    ['fetch-refund', { refund_request_id: 'RETURN-1' }, ownToken, 'No refund'],
    [
      'fetch-refund',
      { refund_request_id: 'RETURN-1', order_id: other.orderId },
      token,
      'No refund',
    ],
    ['transaction/fetch-refunds', { transaction_id: refundId }, token, 'is that of a refund'],
  ];
  for (const [path, body, who, words] of cases) {
    const reply = await service.call(`/api/v2/${path}`, { token: who, body });
    assertRefused(reply, 'TRANSACTION_NOT_FOUND', words);
  }
});
