/**
 * Servers whose defaults suit other programs: with stricter isolation, concurrent deliveries would fail to serialise and
 * be kept as defects; with another date style, times would be read as null. Contract 10.5.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { randomBase62 } from '../../../src/domain/ids.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { createServices } from '../../../src/process/create-services.ts';
import type { Services } from '../../../src/services/services.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { pollUntil } from '../../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { createTestAccount } from '../../support/test-account.ts';
import { createTestDatabase, openCluster } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const deliveryCount = 300;
const cluster = openCluster();
after(() => cluster.close());

const servers = [await setUp('serializable'), await setUp('repeatable read')];

for (const { isolation, database, services, one, other } of servers) {
  test(`${deliveryCount} concurrent deliveries to one order are applied on a server that is ${isolation}`, async () => {
    const shop = await createTestAccount(services, { name: 'Shop' });
    const { token } = await issueMerchantToken(services, shop.accountId);
    const created = await one.call('/api/v3/create-order', { token, body: orderBody() });
    const notes = { svc_order_id: created.body.order_id };
    const replies = await Promise.all(
      Array.from({ length: deliveryCount }, (_, index) => {
        const isPaid = index === deliveryCount / 2;
        const status = isPaid ? 'captured' : 'failed';
        const payment = partnerPayment({ notes, status, captured: isPaid });
        const event = partnerEvent(`payment.${status}`, { payment });
        return sendUntilAnswered(index % 2 === 0 ? one : other, shop, event);
      }),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    const { rows } = await database.query({
      text: 'select state, count(*)::integer as count from deliveries group by state',
    });
    assert.deepEqual(rows, [{ state: 'processed', count: deliveryCount }]);
    const body = { order_id: notes.svc_order_id };
    const enquiry = await other.call('/api/v3/transaction-enquiry', { token, body });
    assert.equal(enquiry.body.order.status, 'completed');
    assert.equal(enquiry.body.transaction.length, deliveryCount);
    assert.deepEqual((await verifyInvariants(services)).breaches, []);
  });

  test(`a secret ends at its time on a server that is ${isolation} and writes days first`, async () => {
    const hour = 3600;
    const shop = await createTestAccount(services, { name: 'Shop with new secrets' });
    const rotate = (by: Services) =>
      rotateSecret(by, shop.accountId, 'partner-webhook-secret', hour, commandLine);
    const ended = shop.partnerWebhookSecret;
    const { secret: ending } = await rotate(openServices(database, 2 * hour));
    const { secret: current } = await rotate(services);
    const statuses = [];
    for (const partnerWebhookSecret of [ended, ending, current]) {
      const event = partnerEvent('payment.failed', { payment: partnerPayment() });
      statuses.push((await sendPartner(one, { ...shop, partnerWebhookSecret }, event)).status);
    }
    assert.deepEqual(statuses, [401, 200, 200]);
  });
}

/** On a busy machine some wait too long for the others and are answered 503. The provider sends them again. */
async function sendUntilAnswered(...[service, shop, event]: Parameters<typeof sendPartner>) {
  const eventId = randomBase62(14);
  return pollUntil(
    () => sendPartner(service, shop, event, { eventId }),
    ({ status }) => status !== 503,
    { secondsMax: 60, pauseMs: 1_000, explain: ({ body }) => JSON.stringify(body) },
  );
}

async function setUp(isolation: string) {
  const { database, url } = await createTestDatabase();
  const name = new URL(url.replace('@/', '@host/')).pathname.slice(1);
  for (const setting of [
    `default_transaction_isolation to '${isolation}'`,
    `datestyle to 'SQL', 'DMY'`,
    `timezone to 'Asia/Kathmandu'`,
  ]) {
    await cluster.query({ text: `alter database ${name} set ${setting}` });
  }
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  const [one, other] = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);
  return { isolation, database, services: openServices(database), one, other };
}

/** Services that live in the past, if told so. */
function openServices(database: Database, secondsAgo = 0): Services {
  return createServices({
    database,
    masterKeyHex: testMasterKeyHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
    clock: () => new Date(Date.now() - secondsAgo * 1000),
  });
}
