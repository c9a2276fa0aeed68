/** The code samples of docs/integrate.md, run against the real service and the simulator of the providers. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createClient } from '../../client/client.js';
import { openPayload, sealPayload } from '../../src/security/sealed-payload.ts';
import { payAtPage } from '../../tools/demo/consumer.ts';
import { newBrowser } from '../../tools/harness/plain-browser.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { findCheckout, type JourneyShop, startJourney } from '../support/journey.ts';
import { orderBody } from '../support/order-bodies.ts';
import { awaitResult, visit } from '../support/returns.ts';
import { languages, noCurl, runSample, samplesDir, startSampleShop } from '../support/samples.ts';

// By a variable: the compiler does not check the samples, which have no types.
const { waitForResult } = await import(join(samplesDir, 'wait-for-result.mjs'));
const { service, simulator, openShop, assertSound } = await startJourney();
const account = await openShop({ encryptedPayloads: true });
const olderAccount = await openShop({ signatureVersion: 'v2' });
const { path: folder, remove } = await makeTemporaryFolder('pos-samples-');
after(remove);
const env = {
  SERVICE_URL: service.baseUrl,
  ACCESS_KEY: account.accessKey,
  ACCESS_SECRET: account.accessSecret,
};

test('the shop in one file sells: paid and declined orders are shown as such', async () => {
  const shopUrl = await startSampleShop('shop.mjs', env);
  assert.match(await (await fetch(shopUrl)).text(), /<form method="post">/);
  for (const [action, shown] of [
    ['pay', /^INV-\S+ is paid\. Thank you!$/],
    ['decline', /^INV-\S+ is not paid: /],
  ] as const) {
    const { location: checkout } = await visit(shopUrl, { method: 'POST' });
    const returned = await payAtPage(await startAtCheckout(checkout ?? ''), action);
    await simulator.settled();
    const { location: back } = await awaitResult(`${returned.url.split('?')[0]}?to=shop`);
    assert.ok(back?.startsWith(`${shopUrl}/back?response=`), `${back}`);
    const { status, text } = await visit(back ?? '');
    assert.equal(status, 200);
    assert.match(text, shown);
  }
  const forged = await visit(`${shopUrl}/back?response=e30=`);
  assert.deepEqual([forged.status, forged.text.includes('paid')], [500, false]);
});

test('the sample that waits resolves with the result, and stops when it takes too long', async () => {
  const client = clientOf(account);
  const quick = { firstMs: 1, longestMs: 4, stopAfterMs: 20 };
  const paid = await startPayment(account);
  assert.equal(await waitForResult(client, paid.invoice_id, quick), 'pending');
  await simulator.pay(paid.checkout);
  await simulator.settled();
  assert.equal(await waitForResult(client, paid.invoice_id, quick), 'completed');
  const declined = await startPayment(account);
  await simulator.pay(declined.checkout, 'decline');
  await simulator.settled();
  assert.equal(await waitForResult(client, declined.invoice_id, quick), 'failed');
  // Money was taken, though not the amount of the order: the consumer must not pay again.
  const underpaid = {
    order: { status: 'pending' },
    transaction: [
      { transaction_type: 'payment', payment_status: 'failed' },
      { transaction_type: 'payment', payment_status: 'succeeded' },
    ],
  };
  const stub = { transactionEnquiry: async () => underpaid };
  assert.equal(await waitForResult(stub, 'INV-1', quick), 'pending');
});

const calls: [name: string, command: [string, ...string[]], skip: string | false][] = [
  ['curl', ['sh', 'calls.sh'], noCurl],
  ['Python', ['python3', '-B', 'calls.py'], skipOf('Python')],
  ['PHP', ['php', 'calls.php'], skipOf('PHP')],
];
for (const [name, command, skip] of calls) {
  test(`the three calls in ${name} create an order and enquire it`, { skip }, async () => {
    const [order, enquiry] = (await runSample(command, env))
      .trim()
      .split(/\n+/)
      .map((line) => JSON.parse(line));
    assert.match(order.order_id, /^o_/);
    assert.equal(order.total_amount, 118);
    assert.deepEqual(enquiry.transaction, []);
    assert.equal(enquiry.order.svc_order_id, order.order_id);
  });
}

test('a refused call ends the samples in Python and PHP with the code of the service', {
  skip: skipOf('Python') || skipOf('PHP'),
}, async () => {
  const wrong = { ...env, ACCESS_SECRET: 'access_secret_wrong' };
  for (const [, command] of calls.slice(1)) {
    await assert.rejects(runSample(command, wrong), /AUTHENTICATION_FAILED: \w/);
  }
});

test('the samples verify what the service signed and open what it sealed', async (t) => {
  const vectors = join(folder, 'vectors.json');
  await writeFile(vectors, JSON.stringify(await recordVectors()));
  for (const { name, skip, skipSealed, checkVectors } of languages) {
    if (skip) t.diagnostic(`${name} is skipped: ${skip}`);
    else {
      const output = await runSample([...checkVectors, vectors]);
      assert.match(output, skipSealed ? /^6 .* 0 wrong$/ : /^6 .* 2 sealed payloads, 0 wrong$/);
    }
  }
});

for (const { name, skipSealed, seal } of languages) {
  test(`the service opens what the sample in ${name} sealed`, { skip: skipSealed }, async () => {
    const body = orderBody();
    const encrypted_payload = await runSample([...seal, JSON.stringify(body), env.ACCESS_SECRET]);
    const { token } = account;
    const reply = await service.call('/api/v3/create-order', {
      token,
      body: { encrypted_payload },
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const opened = openPayload(reply.body.encrypted_response, env.ACCESS_SECRET)?.toString();
    assert.equal(JSON.parse(opened ?? '').invoice_id, body.invoice_id);
  });
}

test('the invariants hold after these tests', assertSound);

/** Real replies in the format of the published vectors: signed by both versions, not signed yet, and changed. */
async function recordVectors() {
  const signatures = [];
  for (const [shop, version] of [
    [account, 'v3'],
    [olderAccount, 'v2'],
  ] as const) {
    const { invoice_id, checkout } = await startPayment(shop);
    const ask = async () =>
      (await clientOf(shop).transactionEnquiry({ invoice_id })).transaction[0];
    const common = { access_secret: shop.accessSecret, version, invoice_id };
    const pending = { ...common, name: `${version} pending`, transaction: await ask() };
    await simulator.pay(checkout);
    await simulator.settled();
    const paid = { ...common, name: `${version} paid`, transaction: await ask() };
    signatures.push(
      { ...pending, outcome: 'unsigned' },
      { ...paid, outcome: 'valid' },
      { ...paid, name: `${version} other invoice`, invoice_id: 'INV-OTHER', outcome: 'invalid' },
    );
  }
  const sealed = [];
  for (const currency of ['INR', 'XYZ']) {
    const body = {
      encrypted_payload: sealPayload(JSON.stringify(orderBody({ currency })), env.ACCESS_SECRET),
    };
    const reply = await service.call('/api/v3/create-order', { token: account.token, body });
    const hex = reply.body.encrypted_response;
    const text = openPayload(hex, env.ACCESS_SECRET)?.toString('utf8');
    sealed.push({ name: `an order in ${currency}`, access_secret: env.ACCESS_SECRET, hex, text });
  }
  return { signatures, sealed };
}

async function startPayment(shop: JourneyShop) {
  const client = clientOf(shop);
  const { order_id, invoice_id } = await client.createOrder(orderBody() as never);
  const { next } = await client.initiatePayment({ order_id, payment_mode_code: 'credit_card' });
  return { invoice_id, checkout: await findCheckout(next[0]?.url ?? '') };
}

/** Opens the checkout, as the shop sends the consumer there, and pays by card. Returns the page that leads to the provider. */
async function startAtCheckout(url: string): Promise<string> {
  const browser = newBrowser(service);
  const { location } = await browser.get(url.replace(service.baseUrl, ''));
  const page = await browser.get(location ?? '');
  const started = await browser.submit(page, { payment_mode_code: 'credit_card' });
  return `${service.baseUrl}${started.location}`;
}

function clientOf({ accessKey, accessSecret }: JourneyShop) {
  return createClient({ baseUrl: service.baseUrl, accessKey, accessSecret });
}

function skipOf(name: string): string | false {
  return languages.find((language) => language.name === name)?.skip ?? false;
}
