/**
 * The command line as a process: exit status and both output streams. The other files of this folder run the same
 * commands in their own process, because starting one takes far longer than most commands run.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { runCommand, runCommandInTerminal } from '../../../tools/harness/command-line.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { refuseRows } from '../../support/refuse-rows.ts';
import { createTemporaryFolder, startServiceProcess } from '../../support/service-process.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };

test('with --json one object in one line is printed, and the exit status is 0', async () => {
  const words = ['account', 'create', '--name', 'Tea & Co', '--json'];
  const { code, stdout, stderr } = await runCommand(words, env);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^\{[^\n]+\}\n$/);
  assert.equal(JSON.parse(stdout).name, 'Tea & Co');
});

test('a refusal is one line on standard error, and the exit status is 1', async () => {
  const words = ['account', 'update', 'acc_0000000000000000', '--name', 'X'];
  const { code, stdout, stderr } = await runCommand(words, env);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
  assert.match(stderr, /^[^\n]*no account acc_0000000000000000[^\n]*\n$/);
});

test('verify prints a breach on standard error when it is found, and on standard output at the end', async () => {
  const { token } = await service.createAccount();
  await service.call('/api/v3/create-order', { token, body: orderBody() });
  assert.equal((await runCommand(['verify'], env)).code, 0);
  await service.database.query({ text: `update orders set status = 'completed'` });
  const { code, stdout, stderr } = await runCommand(['verify'], env);
  assert.equal(code, 1);
  assert.match(stderr, /^broken: o_[^\n]+\n$/);
  assert.match(stdout, /^BROKEN/m);
});

test('a warning stands on standard error beside the object', async () => {
  const words = ['account', 'create', '--name', 'Shop', '--simulator', '--json'];
  const { code, stdout, stderr } = await runCommand(words, env);
  assert.equal(code, 0);
  assert.match(stdout, /^\{[^\n]+\}\n$/);
  assert.match(stderr, /^Whoever listens at [^\n]+\n$/);
});

test('what is logged stands on standard error, so that standard output is one object', async () => {
  const account = await service.createAccount();
  const invoice_id = 'LOGGED-1';
  const payment = partnerPayment({ notes: { invoice_id } });
  const event = partnerEvent('payment.captured', { payment });
  const { body: parked } = await sendPartner(service, account, event);
  const mend = await refuseRows(service.database, 'transactions');
  const body = orderBody({ invoice_id });
  await service.call('/api/v3/create-order', { token: account.token, body });
  const words = ['inbox', 'replay', parked.delivery_id, '--json'];
  const { stdout, stderr } = await runCommand(words, env);
  await mend();
  assert.match(stderr, /"level":"error"[^\n]*"msg":"a defect"/);
  assert.match(stdout, /^\{[^\n]+\}\n$/);
});

const hasScript = existsSync('/usr/bin/script') && process.platform === 'linux';
test('on a terminal the help has its width and colours', {
  skip: !hasScript && 'needs script of util-linux',
}, async () => {
  const [wide, narrow, plain] = await Promise.all([
    runCommandInTerminal(['account', '--help'], {}, 100),
    runCommandInTerminal(['account', '--help'], {}, 40),
    runCommandInTerminal(['account', '--help'], { NO_COLOR: '1' }, 100),
  ]);
  const lines = (text: string) => stripVTControlCharacters(text).split('\r\n');
  assert.deepEqual([wide.code, narrow.code, plain.code], [0, 0, 0]);
  assert.ok(wide.stdout.includes('\u001b[1mCommands:'));
  assert.equal(stripVTControlCharacters(wide.stdout), plain.stdout);
  assert.ok(lines(narrow.stdout).every((line) => line.length <= 40));
  assert.ok(lines(wide.stdout).length < lines(narrow.stdout).length);
});

for (const words of [[], ['account', 'destroy', '--json'], ['account', 'list']]) {
  test(`"${words.join(' ')}" comes to the same as a process and without one`, async () => {
    assert.deepEqual(await runCommand(words, env), await runCommandHere(words, env));
  });
}

test('the commands work against a running embedded service', async () => {
  const embedded = { DATA_DIR: await createTemporaryFolder() };
  const running = await startServiceProcess(embedded);
  const runJson = async (words: string[], env: Readonly<Record<string, string>> = embedded) =>
    JSON.parse((await runCommandHere([...words, '--json'], env)).stdout);
  const created = await runJson(['account', 'create', '--name', 'Second shop']);
  // The command has no PUBLIC_URL and no PORT: it knows the URL from the data folder.
  const path = `/api/v3/webhooks/partner/${created.account_id}`;
  assert.equal(created.partner_webhook_url, `${running.baseUrl}${path}`);
  const chosen = { ...embedded, PUBLIC_URL: 'https://pay.example.com' };
  const other = await runJson(['account', 'create', '--name', 'Third shop'], chosen);
  assert.match(other.partner_webhook_url, /^https:\/\/pay\.example\.com\/api/);
  const { accounts } = await runJson(['account', 'list']);
  assert.deepEqual(
    accounts.map((account: { name: string }) => account.name),
    ['Demo shop', 'Second shop', 'Third shop'],
  );
  const reply = await running.call('/api/v3/generate-token', {
    body: { access_key: created.access_key, access_secret: created.access_secret },
  });
  assert.equal(reply.status, 200);
});
