/** Backups as docs/operations.md describes them, and the state after a restore. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { openDatabase } from '../../../src/postgres/database.ts';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  createTemporaryFolder,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { clusterAddress, createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const run = promisify(execFile);
const invoices = ['R-1', 'R-2', 'R-3'];

test('a data folder copied after a stop has everything when started elsewhere', async () => {
  const folder = await createTemporaryFolder();
  const [dataDir, archive, elsewhere] = ['data', 'backup.tar', 'elsewhere'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const original = await startServiceProcess({ DATA_DIR: dataDir });
  const shop = readShop(original.output());
  const answers = await trade(original, shop);
  assert.equal(await original.end('SIGTERM'), 0);

  await run('tar', ['-C', folder, '-cpf', archive, 'data']);
  await rm(dataDir, { recursive: true });
  await run('mkdir', [elsewhere]);
  await run('tar', ['-C', elsewhere, '-xpf', archive, '--strip-components=1']);

  const restored = await startServiceProcess({ DATA_DIR: elsewhere });
  await assertSame(restored, shop, answers, { DATA_DIR: elsewhere });
  assert.doesNotMatch(restored.output(), /access_secret/, 'it is no first start');
});

test('a copy of an external database has everything with the same MASTER_KEY', async () => {
  const { url } = await createTestDatabase();
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  const created = await startServiceProcess(env);
  const shop = await createShop(env);
  const answers = await trade(created, shop);
  assert.equal(await created.end('SIGTERM'), 0);

  const copyEnv = { ...env, DATABASE_URL: await copyDatabase(url) };
  const restored = await startServiceProcess(copyEnv);
  await assertSame(restored, shop, answers, copyEnv);
  assert.equal(await restored.end('SIGTERM'), 0);
});

type Shop = {
  readonly accountId: string;
  readonly accessKey: string;
  readonly accessSecret: string;
  readonly partnerWebhookSecret: string;
};

/** Some orders, one of them paid, and a payment whose order does not exist yet. */
async function trade(service: ServiceProcess, shop: Shop): Promise<unknown[]> {
  const token = await getToken(service, shop);
  for (const invoice_id of invoices) {
    const { status } = await service.call('/api/v3/create-order', {
      token,
      body: orderBody({ invoice_id }),
    });
    assert.equal(status, 200);
  }
  for (const [invoice_id, expected] of [
    ['R-1', 'processed'],
    ['R-4', 'parked'],
  ]) {
    const payment = partnerPayment({ notes: { invoice_id } });
    const sent = partnerEvent('payment.captured', { payment });
    const { status, body } = await sendPartner(service, shop, sent);
    assert.deepEqual([status, body.status], [200, expected]);
  }
  return enquireAll(service, token);
}

async function assertSame(
  service: ServiceProcess,
  shop: Shop,
  answers: readonly unknown[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const token = await getToken(service, shop);
  assert.deepEqual(await enquireAll(service, token), answers);
  // A delivery parked before the backup is still parked after it.
  const late = await service.call('/api/v3/create-order', {
    token,
    body: orderBody({ invoice_id: 'R-4' }),
  });
  assert.equal(late.status, 200);
  const { body } = await enquire(service, token, 'R-4');
  assert.equal(body.order.status, 'completed');
  const verified = await runCommand(['verify'], env);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
}

async function enquireAll(service: ServiceProcess, token: string): Promise<unknown[]> {
  const replies = [];
  for (const invoice_id of invoices) replies.push(await enquire(service, token, invoice_id));
  assert.deepEqual(
    replies.map(({ body }) => body.order.status),
    ['completed', 'new', 'new'],
  );
  return replies.map(({ body }) => body);
}

function enquire(service: ServiceProcess, token: string, invoice_id: string) {
  return service.call('/api/v3/transaction-enquiry', { token, body: { invoice_id } });
}

async function getToken(service: ServiceProcess, shop: Shop): Promise<string> {
  const { status, body } = await service.call('/api/v3/generate-token', {
    body: { access_key: shop.accessKey, access_secret: shop.accessSecret },
  });
  assert.equal(status, 200);
  return body.token;
}

/** The demo account from the first-start message. */
function readShop(output: string): Shop {
  const find = (name: string) =>
    new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(output)?.[1] ?? assert.fail(`no ${name}`);
  return {
    accountId: find('account_id'),
    accessKey: find('access_key'),
    accessSecret: find('access_secret'),
    partnerWebhookSecret: find('partner_webhook_secret'),
  };
}

async function createShop(env: Readonly<Record<string, string>>): Promise<Shop> {
  const { stdout } = await runCommand(['account', 'create', '--name', 'Tea shop', '--json'], env);
  const account = JSON.parse(stdout);
  return {
    accountId: account.account_id,
    accessKey: account.access_key,
    accessSecret: account.access_secret,
    partnerWebhookSecret: account.partner_webhook_secret,
  };
}

/** Copies all rows of all schemas, like pg_dump and pg_restore. */
async function copyDatabase(url: string): Promise<string> {
  const name = /\/([a-z0-9_]+)\?/.exec(url)?.[1] ?? assert.fail('the URL names no database');
  const copy = `${name}_copy`;
  const cluster = openDatabase(clusterAddress());
  await cluster.query({ text: `create database ${copy} template ${name}` });
  after(async () => {
    await cluster.query({ text: `drop database ${copy} with (force)` });
    await cluster.close();
  });
  return url.replace(`/${name}?`, `/${copy}?`);
}
