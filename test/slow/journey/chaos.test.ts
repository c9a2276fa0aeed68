import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createClient } from '../../../client/client.js';
import { startSimulator } from '../../../simulator/simulator.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { runChaos } from '../../../tools/demo/chaos.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { assertAgrees, unfinishedOf } from '../../journey/outline.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { createTestAccount } from '../../support/test-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database, url } = await createTestDatabase();
const port = await findFreePort();
const publicUrl = `http://127.0.0.1:${port}`;
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl, orderLapseSeconds: 24 * 3600 },
});
const simulator = await startSimulator({ timeScale: 0.001 });
after(() => simulator.close());
const account = await openAccount();
const client = createClient({
  baseUrl: publicUrl,
  accessKey: account.accessKey,
  accessSecret: account.accessSecret,
});
const stage = { baseUrl: publicUrl, client, simulator };
await startServiceProcess({
  DATABASE_URL: url,
  MASTER_KEY: testMasterKeyHex,
  PORT: String(port),
  PROVIDER_POLL_SECONDS: '1',
});

/** Scenarios that need review: money was taken back, only a part of it moved, or the provider contradicts itself. */
const needReview = [
  'void',
  'release',
  'partial-capture-only',
  'chargeback',
  'refund-late',
  'refund-declined-in-part',
];
const reviewed: string[] = [];

for (const seed of [7, 8]) {
  test(`60 orders under chaos end correctly, seed ${seed}`, async () => {
    const { travellers, troubles } = await runChaos(stage, { seed, orders: 60 });
    assert.deepEqual(troubles, []);
    assert.equal(travellers.length, 60);
    const ledger = simulator.ledger();
    for (const { orderId, scenario } of travellers) {
      if (needReview.includes(scenario)) reviewed.push(orderId);
      const body = await client.transactionEnquiry({ order_id: orderId });
      const reply = { status: 200, headers: new Headers(), body };
      assertAgrees(reply, ledger);
      assert.deepEqual(unfinishedOf(reply, ledger), []);
    }
  });
}

test('after these tests, verify finds nothing and nothing is flagged for review without reason', async () => {
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
  const { rows } = await database.query({
    text: `select order_id, flags from transactions where flags <> '{}'
           union all select order_id, flags from orders where flags <> '{}'`,
  });
  assert.deepEqual(
    rows.filter((row) => !reviewed.includes(row.order_id)),
    [],
  );
});

async function openAccount() {
  const [keyId, keySecret] = ['rzp_test_chaos', 'chaos_key_secret'];
  const [merchantId, password] = ['SIMCHAOS', 'chaos_password'];
  const created = await createTestAccount(services, {
    name: 'Chaos',
    paymentModes: { upi: 'partner', credit_card: 'bank-gateway' },
    providerApis: {
      partner: { url: simulator.url, login: keyId },
      'bank-gateway': { url: simulator.url, login: merchantId },
    },
    apiSecrets: { 'partner-key-secret': keySecret, 'bank-gateway-password': password },
  });
  simulator.register({
    partner: {
      keyId,
      keySecret,
      webhookUrl: created.partnerWebhookUrl,
      webhookSecret: created.partnerWebhookSecret,
    },
    gateway: {
      merchantId,
      password,
      webhookUrl: created.bankGatewayWebhookUrl,
      webhookSecret: created.bankGatewaySecret,
    },
  });
  return created;
}
