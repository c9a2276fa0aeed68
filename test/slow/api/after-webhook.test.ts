import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../src/http/operator/metrics.ts';
import { buildApp } from '../../../src/process/app.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import {
  assertInvariants,
  captureOf,
  gatewayPaymentOf,
  openShop,
} from '../../api/webhooks/shop.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const shop = await openShop();
const { service } = shop;
const lanes = 8;
const roundsPerLane = 125;

test('an enquiry after the 200 of a webhook shows its effect, here and in another process', async () => {
  const elsewhere = await buildApp({
    services: createServices({
      database: service.database,
      masterKeyHex: testMasterKeyHex,
      settings: service.services.settings,
    }),
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  const token = await shop.freshToken();
  const enquireElsewhere = async (order_id: string) =>
    (
      await elsewhere.inject({
        method: 'POST',
        url: '/api/v3/transaction-enquiry',
        headers: { authorization: `Bearer ${token}` },
        payload: { order_id },
      })
    ).json();

  const runLane = async (lane: number) => {
    for (let round = 0; round < roundsPerLane; round += 1) {
      const order = await shop.createOrder();
      const { order_id } = order;
      const reply =
        lane % 2 === 0
          ? await shop.sendPartner(captureOf(order))
          : await shop.sendGateway(gatewayPaymentOf(order));
      assert.equal(reply.body.status, 'processed');
      const body =
        round % 2 === 0
          ? (await shop.enquire({ order_id }, token)).body
          : await enquireElsewhere(order_id);
      assert.equal(body.order.status, 'completed');
      assert.equal(body.transaction[0].payment_status, 'succeeded');
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)));
  await elsewhere.close();
});

test('the invariants hold after all of this', () => assertInvariants(shop));
