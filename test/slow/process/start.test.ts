import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { embeddedAddress } from '../../../src/embedded-postgres/embedded-database.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { runCommand, runProgram } from '../../../tools/harness/command-line.ts';
import { isRunning } from '../../../tools/harness/processes.ts';
import { readServerPid } from '../../../tools/harness/server-pid.ts';
import { createTemporaryFolder, startServiceProcess } from '../../support/service-process.ts';

const dataDir = join(await createTemporaryFolder(), 'not', 'made', 'yet');
const first = await startServiceProcess({ DATA_DIR: dataDir });
const serverPid = await readServerPid(dataDir);

test('the first start prints the credentials of a demo account that work', async () => {
  assert.ok(first.output().includes(`payment-order-service is ready on ${first.baseUrl}\n`));
  const [accountId, accessKey, accessSecret, partnerSecret, bankSecret] = [
    'account_id',
    'access_key',
    'access_secret',
    'partner_webhook_secret',
    'bank_gateway_secret',
  ].map((name) => new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(first.output())?.[1] ?? '');
  assert.match(accountId ?? '', /^acc_[0-9A-Za-z]{16}$/);
  assert.match(accessKey ?? '', /^access_key_\w{16,}$/);
  assert.match(accessSecret ?? '', /^access_secret_\w{32,}$/);
  assert.match(partnerSecret ?? '', /^\w{32,}$/);
  assert.match(bankSecret ?? '', /^\w{32,}$/);
  const reply = await first.call('/api/v3/generate-token', {
    body: { access_key: accessKey, access_secret: accessSecret },
  });
  assert.equal(reply.status, 200);
});

test('the first start prints a one-time link that makes the owner of the demo account', async () => {
  const { port } = new URL(first.baseUrl);
  const link = new RegExp(`^  http://localhost:${port}/dashboard/invitation/(\\S+)$`, 'm');
  const [, token = ''] = link.exec(first.output()) ?? [];
  for (const origin of [`http://localhost:${port}`, first.baseUrl]) {
    const path = `/dashboard/api/invitation/${token}`;
    const reply = await first.call(path, { method: 'POST', headers: { origin } });
    assert.deepEqual(
      [reply.status, reply.body.account_name, reply.body.role],
      [...[200, 'Demo shop', 'owner']],
    );
  }
});

test('the service cannot change or delete what is in the audit log', async () => {
  const database = openDatabase(await embeddedAddress(dataDir));
  try {
    for (const text of ["update audit set actor = 'x'", 'delete from audit', 'truncate audit']) {
      await assert.rejects(database.query({ text }), { code: '42501' }, text);
    }
  } finally {
    await database.close();
  }
});

test('the printed lines, pasted into a shell, create a token and an order, and read the order', async () => {
  const lines = first
    .output()
    .split('\n')
    .filter((line) => /^ {2}(TOKEN=|curl )/.test(line));
  assert.equal(lines.length, 3);

  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', lines.join('\n')]);

  assert.equal(stderr, '');
  const [created, found] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(created.status, 'new');
  assert.equal(created.invoice_id, 'INV-1001');
  assert.equal(created.total_amount, 118);
  assert.equal(found.order_id, created.order_id);
});

test('demo.env gives a shell the URL and the credentials of the demo account', async () => {
  const path = join(dataDir, 'demo.env');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const script = `. "${path}" && echo "$SERVICE_URL $ACCOUNT_ID $ACCESS_KEY $ACCESS_SECRET"`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  const [url, ...credentials] = stdout.trim().split(' ');
  assert.equal(url, first.baseUrl);
  for (const value of credentials) assert.ok(first.output().includes(`  ${value}\n`));
});

test('the master key is readable by its owner only', async () => {
  const path = join(dataDir, 'master.key');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.match(await readFile(path, 'utf8'), /^[0-9a-f]{64}\n$/);
});

test('the database server never runs as root', async () => {
  // PostgreSQL refuses to run as root, so without /proc the start above has proven it.
  const status = await readFile(`/proc/${serverPid}/status`, 'utf8').catch(
    () => 'Uid:\t1\t1\t1\t1',
  );
  const uids = /^Uid:\t(.+)$/m.exec(status)?.[1]?.split('\t').map(Number) ?? [];
  assert.equal(uids.length, 4);
  assert.ok(!uids.includes(0), `the user ids are ${uids}`);
});

test('a second start finds the data of the first, and names the account without its secrets', async () => {
  assert.equal(await first.end('SIGTERM'), 0);
  assert.ok(!(await isRunning(serverPid)), 'the database server ended with its service');
  const key = await readFile(join(dataDir, 'master.key'), 'utf8');

  const second = await startServiceProcess({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });

  const find = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(first.output())?.[1];
  assert.equal(
    second.output(),
    `payment-order-service is ready on ${second.baseUrl}

  account     ${find('account_id')} (Demo shop)
  new secret  npm run --silent cli -- account rotate ${find('account_id')} access-secret
  API         ${second.baseUrl}/docs

`,
  );
  assert.equal(await readFile(join(dataDir, 'master.key'), 'utf8'), key);
  const { body } = await second.call('/api/v3/generate-token', {
    body: { access_key: find('access_key'), access_secret: find('access_secret') },
  });
  const order = await second.call('/api/v3/order?invoice_id=INV-1001', { token: body.token });
  assert.equal(order.status, 200);
  assert.equal(order.body.total_amount, 118);
});

test('a first start with a public URL creates no account, prints no secret, and says how to create one', async () => {
  const folder = join(await createTemporaryFolder(), 'public');
  const publicUrl = 'https://pay.example.com';
  const env = { DATA_DIR: folder, PUBLIC_URL: publicUrl };
  const service = await startServiceProcess({ ...env, LOG_LEVEL: 'warn' });
  const command = 'account create --name "My shop"';
  assert.equal(
    service.output(),
    `payment-order-service is ready on ${publicUrl}

  first account  npm run --silent cli -- ${command}
  API            ${publicUrl}/docs

`,
  );
  assert.equal((await runCommand(['account', 'list'], env)).stdout.includes('acc_'), false);
  await assert.rejects(stat(join(folder, 'demo.env')), { code: 'ENOENT' });
  const created = await runProgram(['sh', '-c', `npm run --silent cli -- ${command}`], env);
  assert.match(created.stdout, /^access_secret +access_secret_/m);
});

test('the service works in a data folder whose path is too long for a socket', async () => {
  const deep = join(
    await createTemporaryFolder(),
    ...Array.from({ length: 8 }, () => 'a-long-name'),
  );
  const service = await startServiceProcess({ DATA_DIR: deep });
  assert.equal((await service.call('/readyz')).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
});
