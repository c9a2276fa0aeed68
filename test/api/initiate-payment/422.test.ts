import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, openShop } = await startJourney();
const address = { url: simulator.url, login: 'rzp_test_journey' };

const settings: [name: string, settings: Parameters<typeof openShop>[0]][] = [
  ['a mode that is not enabled', { paymentModes: { upi: 'partner', wallet: 'partner' } }],
  ['debit cards only', { paymentModes: { debit_card: 'bank-gateway' } }],
  ['no mode enabled at all', { paymentModes: {} }],
  ['no settings for any provider', { providerApis: {} }],
  ['settings for the other provider only', { providerApis: { partner: address } }],
  ['no secret for the provider', { apiSecrets: { 'partner-key-secret': 'secret' } }],
];
for (const [name, wished] of settings) {
  test(`an account with ${name} starts no payment by it`, async () => {
    const account = await openShop(wished);
    const { body: order } = await service.call('/api/v3/create-order', {
      token: account.token,
      body: orderBody(),
    });
    const before = await dumpTables(service.database);
    for (const token of [account.token, order.token]) {
      for (const payment_mode_code of ['credit_card', 'card']) {
        const body = { order_id: order.order_id, payment_mode_code };
        const reply = await service.call('/api/v3/initiate-payment', { token, body });
        assertRefused(reply, 'PAYMENT_MODE_NOT_ENABLED');
      }
    }
    assert.deepEqual(await dumpTables(service.database), before);
  });
}
