/** Rotates every secret under load on two service processes. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../../client/client.js';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { runCommandHere } from '../../support/command-here.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendGateway,
  sendPartner,
} from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  createTemporaryFolder,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { createTestDatabase, dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';

const { url, database } = await createTestDatabase();
const oldKey = randomBytes(32).toString('hex');
const newKey = randomBytes(32).toString('hex');
const env = { DATABASE_URL: url, MASTER_KEY: oldKey, MASTER_KEY_PREVIOUS: newKey };
const services = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);

type Account = {
  account_id: string;
  access_key: string;
  access_secret: string;
  partner_webhook_secret: string;
  bank_gateway_secret: string;
};
type Order = Parameters<ReturnType<typeof createClient>['createOrder']>[0];

test('every secret is rotated under load, and not one request fails', async () => {
  const account = (await cli([
    'account',
    'create',
    '--name',
    'Drill',
    '--encrypted-payloads',
  ])) as Account;
  const current = { ...account };
  const load = startLoad(current);
  after(() => load.stop());

  for (const kind of ['access-secret', 'partner-webhook-secret', 'bank-gateway-secret'] as const) {
    const rotated = await cli(['account', 'rotate', account.account_id, kind]);
    await load.seen();
    // The clients switch later; until then they use the old secret.
    const name = kind.replaceAll('-', '_') as 'access_secret';
    current[name] = rotated[name] as string;
    await load.seen();
  }
  await cli(['keys', 'rotate', 'signing', '--overlap', '24h']);
  await load.seen();
  const rewrapped = await cli(['keys', 'rotate', 'master'], {
    MASTER_KEY: newKey,
    MASTER_KEY_PREVIOUS: oldKey,
  });
  assert.equal(rewrapped.secrets, 7);
  await load.seen();

  const { calls, failures } = await load.stop();
  assert.deepEqual(failures, []);
  assert.ok(calls > 100, `${calls} calls`);
  assert.deepEqual((await cli(['verify'])).breaches, []);
});

test('after the rotation the new master key alone is enough', async () => {
  const alone = await startServiceProcess({ DATABASE_URL: url, MASTER_KEY: newKey });
  assert.equal((await alone.call('/readyz')).status, 200);
  await alone.end('SIGTERM');
});

test('a dump of the database holds no secret in clear', async () => {
  const account = (await cli(['account', 'create', '--name', 'Dumped'])) as Account;
  const dump = JSON.stringify(await dumpTables(database));
  for (const name of ['access_secret', 'partner_webhook_secret', 'bank_gateway_secret'] as const) {
    const random = account[name].slice(-20);
    assert.equal(dump.includes(random), false, name);
    assert.equal(dump.includes(Buffer.from(account[name]).toString('hex')), false, name);
  }
  assert.equal(dump.includes(oldKey) || dump.includes(newKey), false);
});

test('in the embedded mode the service follows a new master key without a restart', async () => {
  const DATA_DIR = join(await createTemporaryFolder(), 'data');
  const embedded = await startServiceProcess({ DATA_DIR });
  const rotate = async () => runCommand(['keys', 'rotate', 'master', '--json'], { DATA_DIR });
  const create = async () => {
    const outcome = await runCommand(['account', 'create', '--name', 'Later', '--json'], {
      DATA_DIR,
    });
    return JSON.parse(outcome.stdout) as Account;
  };
  const before = await create();
  for (const _ of [1, 2]) {
    const { code, stderr } = await rotate();
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    for (const account of [before, await create()]) await orderThrough(embedded, account, false);
  }
  assert.equal(await embedded.end('SIGTERM'), 0);
  const again = await startServiceProcess({ DATA_DIR });
  await orderThrough(again, before, false);
});

/** Sends creates, enquiries, encrypted calls and webhooks to both processes, with the current secrets. */
function startLoad(current: Account) {
  let calls = 0;
  let isStopping = false;
  const failures: unknown[] = [];
  const lanes = services.flatMap((service) => [
    lane(() => orderThrough(service, current, false)),
    lane(() => orderThrough(service, current, true)),
    lane(() => deliver(service, current)),
  ]);
  async function lane(work: () => Promise<void>): Promise<void> {
    while (!isStopping) {
      await work().catch((error: unknown) => failures.push(error));
      calls += 1;
      // Secrets change under calls that never stop; how many there are a second does not matter.
      await delay(200);
    }
  }
  return {
    /** Waits until every lane has sent a few requests, and longer than caches live. */
    seen: async () => {
      const enough = calls + 6 * lanes.length;
      const since = Date.now();
      while (calls < enough || Date.now() - since < 1_200) {
        await delay(20);
      }
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(lanes);
      return { calls, failures };
    },
  };
}

async function orderThrough(
  service: ServiceProcess,
  { access_key, access_secret }: Account,
  encrypted: boolean,
): Promise<void> {
  const client = createClient({
    baseUrl: service.baseUrl,
    accessKey: access_key,
    accessSecret: access_secret,
    encrypted,
  });
  const { order_id, invoice_id } = await client.createOrder(orderBody() as Order);
  const { order } = await client.transactionEnquiry({ invoice_id });
  assert.equal(order.svc_order_id, order_id);
}

async function deliver(service: ServiceProcess, current: Account): Promise<void> {
  const account = {
    accountId: current.account_id,
    partnerWebhookSecret: current.partner_webhook_secret,
    bankGatewaySecret: current.bank_gateway_secret,
  };
  const payment = partnerPayment({
    notes: { invoice_id: `DRILL-${randomBytes(8).toString('hex')}` },
  });
  const event = partnerEvent('payment.captured', { payment });
  answered200(await sendPartner(service, account, event));
  const order = { id: `DRILL-${randomBytes(8).toString('hex')}` };
  answered200(await sendGateway(service, account, gatewayBody({ order })));
}

function answered200({ status, body }: Reply): void {
  assert.equal(status, 200, JSON.stringify(body));
}

async function cli(
  words: string[],
  keys: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runCommandHere([...words, '--json'], { ...env, ...keys });
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Record<string, unknown>;
}
