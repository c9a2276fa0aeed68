/**
 * A provider joins the service with a folder (`test/support/third-provider`) and one line (its `register.ts`): the
 * contract of providers holds for it, and an account uses it from the command line to the refund.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liveSecrets } from '../../src/domain/accounts/account.ts';
import { commandLine } from '../../src/domain/audit.ts';
import { createServices } from '../../src/process/create-services.ts';
import { rewrapSecrets } from '../../src/use-cases/accounts/rotate-keys.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { runCommand } from '../../tools/harness/command-line.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { issueMerchantToken } from '../support/merchant-token.ts';
import { orderBody } from '../support/order-bodies.ts';
import { pollAllDue } from '../support/poll-all-due.ts';
import { testProviderContract } from '../support/provider-contract/contract.ts';
import { startTestService, testMasterKeyHex } from '../support/test-service.ts';
import '../support/third-provider/register.ts';
import { acmePay } from '../support/third-provider/acme-pay.ts';
import { acmePayFixture } from '../support/third-provider/fixture.ts';
import { deliver, startStubApi } from '../support/third-provider/stub-api.ts';

testProviderContract(acmePay, acmePayFixture);

const service = await startTestService({ port: await findFreePort() });
const { services } = service;
const acme = await startStubApi(services.clock);
const register = new URL('../support/third-provider/register.ts', import.meta.url);
const env = {
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  PUBLIC_URL: service.baseUrl,
  NODE_OPTIONS: `--import=${register.href}`,
};
const account = await cli([
  'account',
  'create',
  '--name',
  'Tea shop',
  '--payment-mode',
  'wallet:acme-pay',
  '--acme-pay-key',
  'key_1',
  '--acme-pay-secret',
  '-',
  '--acme-pay-url',
  acme.url,
  '--acme-pay-store',
  '1001',
]);
const { account_id: accountId, acme_pay_webhook_url: webhookUrl } = account;
let webhookSecret: string = account.acme_pay_webhook_secret;
let events = 0;

test('account create prints its webhook, and account list its settings with their defaults', async () => {
  assert.equal(webhookUrl, `${service.baseUrl}/api/v3/webhooks/acme-pay/${accountId}`);
  assert.match(webhookSecret, /^acme_pay_webhook_secret_\w{40}$/);
  const { accounts } = await cli(['account', 'list']);
  const listed = accounts.find((one: Printed) => one.account_id === accountId);
  assert.equal(listed.acme_pay_store, '1001');
  assert.equal(listed.acme_pay_region, 'eu');
  assert.deepEqual(listed.provider_apis, [`acme-pay:key_1@${acme.url}`]);
  assert.ok(listed.payment_modes.includes('wallet:acme-pay'));
  assert.doesNotMatch(JSON.stringify(accounts), /secret_of_acme|_secret/);
});

test('the help describes its options and its secret, and a value that cannot work is refused', async () => {
  const { stdout } = await runCommand(['account', 'update', '--help'], env);
  for (const text of [
    '--acme-pay-store NUMBER',
    '--acme-pay-region REGION',
    'The region of the store.',
    '--acme-pay-key KEY',
    '--acme-pay-secret SECRET|-',
    '--acme-pay-url URL',
  ]) {
    assert.ok(stdout.includes(text), text);
  }
  const rotate = await runCommand(['account', 'rotate', '--help'], env);
  assert.match(rotate.stdout, /acme-pay-webhook-secret/);
  const refused = await runCommand(
    ['account', 'update', accountId, '--acme-pay-store', 'twelve'],
    env,
  );
  assert.deepEqual([refused.code, refused.stderr], [1, 'acme-pay store must have 4 digits.\n']);
});

test('a payment starts there with the settings of the account, and its webhook completes the order', async () => {
  const { orderId, transactionId, url } = await startPayment();
  assert.equal(url, `https://pay.acme.example/${acme.chargeOf(transactionId).charge.id}`);
  const { user, body } = acme.calls.at(-1) ?? assert.fail();
  assert.equal(user, 'key_1:secret_of_acme');
  const { cents, currency, store, region, notify } = body;
  assert.deepEqual([cents, currency, store, region], [11_800, 'INR', '1001', 'eu']);
  assert.equal(notify, webhookUrl);

  const { status, body: received } = await report(transactionId);
  assert.deepEqual([status, received.status, received.order_id], [200, 'processed', orderId]);
  const { order, transaction } = await enquire(orderId);
  assert.equal(order.status, 'completed');
  const [{ svc_transaction_id, payment_partner, payment_status, payment_mode }] = transaction;
  assert.deepEqual([svc_transaction_id, payment_status], [transactionId, 'succeeded']);
  assert.deepEqual([payment_partner, payment_mode], ['Acme Pay', 'Wallet']);
});

test('a payment whose webhook never comes is polled', async () => {
  const { orderId, transactionId } = await startPayment();
  acme.pay(transactionId);
  await poll();
  assert.equal((await enquire(orderId)).order.status, 'completed');
});

test('a refund is started there, stays pending, and is done once it is polled', async () => {
  const { orderId, transactionId } = await startPayment();
  await report(transactionId);
  const { status, body } = await call('refund', {
    transaction_id: transactionId,
    refund_amount: 18,
    refund_request_id: 'RR-1',
  });
  assert.equal(status, 200, JSON.stringify(body));
  const [made = assert.fail()] = acme.chargeOf(transactionId).returns;
  assert.deepEqual([made.cents, made.reference], [1_800, 'RR-1']);
  assert.equal(await refundStatusOf(orderId), 'pending');
  made.state = 'done';
  await poll();
  assert.equal(await refundStatusOf(orderId), 'succeeded');
  assert.equal((await enquire(orderId)).order.refund_details.refunded_amount, 18);
});

test('a delivery that names another store is applied and flagged', async () => {
  const { orderId, transactionId } = await startPayment();
  assert.equal((await report(transactionId, { store: '2002' })).status, 200);
  const { rows } = await service.database.query({
    text: 'select flags from transactions where order_id = $1',
    values: [orderId],
  });
  assert.deepEqual(rows, [{ flags: ['merchant_mismatch'] }]);
});

test('a wrong signature is refused, and after a rotation the old secret is valid beside the new one', async () => {
  const { transactionId } = await startPayment();
  const rotated = await cli(['account', 'rotate', accountId, 'acme-pay-webhook-secret']);
  assert.equal((await report(transactionId, {}, 'wrong')).status, 401);
  assert.equal((await report(transactionId)).status, 200);
  webhookSecret = rotated.acme_pay_webhook_secret;
  await waitUntil('the new secret', async () => (await report(transactionId)).status === 200, 3);
});

test('the page of its API documents its webhook, and its hint on the way back is understood', async () => {
  const { paths } = (await service.call('/openapi.json')).body;
  assert.ok(paths['/api/v3/webhooks/acme-pay/{account_id}']?.post);
  const { transactionId } = await startPayment();
  const back = `${service.baseUrl}/pay/${accountId}/${transactionId}/return`;
  const body = new URLSearchParams({ acme_paid: '1' });
  const { headers } = await fetch(back, { method: 'POST', body, redirect: 'manual' });
  assert.equal(headers.get('location'), 'return?paid');
});

test('after all of that every invariant holds', async () => {
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
});

test('a new master key seals its secrets again', async () => {
  const newKeyHex = '17'.repeat(32);
  const servicesWith = (masterKeyHex: string, ...otherMasterKeysHex: string[]) =>
    createServices({
      database: service.database,
      masterKeyHex,
      otherMasterKeysHex,
      settings: { publicUrl: service.baseUrl, orderLapseSeconds: 3600 },
    });
  assert.ok((await rewrapSecrets(servicesWith(newKeyHex, testMasterKeyHex), commandLine)) > 0);
  const opened = await servicesWith(newKeyHex).accounts.get(accountId);
  assert.deepEqual(liveSecrets(opened, 'acme-pay-secret', new Date()), ['secret_of_acme']);
  assert.equal(liveSecrets(opened, 'acme-pay-webhook-secret', new Date())[0], webhookSecret);
});

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is asserted field by field
type Printed = Readonly<Record<string, any>>;

/** A command of a service that has the provider; the API secret comes from standard input. */
async function cli(words: readonly string[]): Promise<Printed> {
  const { code, stdout, stderr } = await runCommand([...words, '--json'], env, 'secret_of_acme\n');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function call(path: string, body: object) {
  const { token } = await issueMerchantToken(services, accountId);
  return service.call(`/api/v3/${path}`, { token, body });
}

async function startPayment() {
  const { order_id: orderId } = (await call('create-order', orderBody())).body;
  const { status, body } = await call('initiate-payment', {
    order_id: orderId,
    payment_mode_code: 'wallet',
    wallet_code: 'acme',
  });
  assert.equal(status, 200, JSON.stringify(body));
  const transactionId: string = body.transaction_id;
  return { orderId, transactionId, url: body.next[0].url };
}

/** The consumer has paid, and Acme Pay delivers that. */
function report(transactionId: string, changes: object = {}, secret = webhookSecret) {
  const { charge, store } = acme.pay(transactionId);
  const at = Math.floor(services.clock().getTime() / 1000);
  events += 1;
  const body = { type: 'charge.updated', store, at, charge, ...changes };
  return deliver(webhookUrl, secret, `ev_${events}`, body);
}

/** A minute passes, and the background polls what is due. */
async function poll(): Promise<void> {
  service.advanceSeconds(61);
  await pollAllDue(services);
}

async function enquire(orderId: string) {
  const { status, body } = await call('transaction-enquiry', { order_id: orderId });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function refundStatusOf(orderId: string): Promise<string> {
  return (await enquire(orderId)).transaction[0].refund_status;
}
