/** `link create`: what it prints, and that it makes what payment-link makes. Contract 14.6. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { auditOf } from '../../support/audit.ts';
import { jsonCommands, runCommandHere } from '../../support/command-here.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const env = {
  DATABASE_URL: service.url,
  MASTER_KEY: testMasterKeyHex,
  PUBLIC_URL: 'https://pay.example.com',
};
const { refusalOf, runJson } = jsonCommands(env);
const { accountId, token } = await service.createAccount({ optionalOrderDetails: true });
const price = '--amount 118.00 --currency INR';

test('it prints the link and the order, and the link opens the order', async () => {
  const printed = await runJson(`link create ${accountId} ${price} --invoice CLI-1`);
  const { payment_link, payment_link_id, expires_at, order_id, ...others } = printed;
  assert.match(payment_link, /^https:\/\/pay\.example\.com\/l\/[0-9A-Za-z]{32}$/);
  assert.equal(payment_link, `https://pay.example.com/l/${payment_link_id}`);
  const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 89.9 && days <= 90, expires_at);
  const order = { account_id: accountId, invoice_id: 'CLI-1', currency: 'INR', total_amount: 118 };
  assert.deepEqual(others, { ...order, replayed: false });
  const { pathname } = new URL(payment_link);
  const opened = await fetch(`${service.baseUrl}${pathname}`, { redirect: 'manual' });
  assert.equal(opened.status, 303);

  const text = await runCommandHere(
    `link create ${accountId} ${price} --invoice CLI-1`.split(' '),
    env,
  );
  assert.equal(text.code, 0, text.stderr);
  assert.ok(text.stdout.startsWith(`payment_link     ${payment_link}\n`), text.stdout);
  assert.match(text.stdout, new RegExp(`\norder_id +${order_id}\n`));
  assert.match(text.stdout, /\nreplayed +true\n$/);
});

test('the same order through the API is the same content, and has the same link', async () => {
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const printed = await runJson([
    ...`link create ${accountId} ${price} --invoice CLI-2 --expires ${expires_at}`.split(' '),
    '--email',
    'asha@example.com',
    '--phone',
    '+91 98765 43210',
    '--name',
    'Asha  Devi Rao',
    '--description',
    'Two packets of tea',
  ]);
  assert.equal(printed.expires_at, expires_at);
  const user = {
    first_name: 'Asha',
    last_name: 'Devi Rao',
    email: 'asha@example.com',
    mobile_number: 9876543210,
  };
  const { status, body } = await service.call('/api/v3/payment-link', {
    token,
    body: {
      invoice_id: 'CLI-2',
      currency: 'INR',
      total_amount: 118,
      expires_at,
      user,
      description: 'Two packets of tea',
    },
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.order_id, printed.order_id);
  assert.equal(body.payment_link.slice(-32), printed.payment_link.slice(-32));
});

test('an account whose orders need a consumer and items has links without them', async () => {
  const strict = await service.createAccount();
  const words = `link create ${strict.accountId} ${price} --invoice CLI-STRICT`;
  const { order_id, replayed } = await runJson(words);
  const again = await runJson(words);
  assert.deepEqual([replayed, again.order_id, again.replayed], [false, order_id, true]);
});

test('a duration counts from now', async () => {
  const { expires_at } = await runJson(
    `link create ${accountId} ${price} --invoice CLI-3 --expires 30d`,
  );
  const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, expires_at);
});

test('a card number in a text is masked before it is stored', async () => {
  await runJson([
    ...`link create ${accountId} ${price} --invoice CLI-4`.split(' '),
    '--description',
    'paid by 4111111111111111',
    '--name',
    '4111111111111111',
  ]);
  const { body } = await service.call('/api/v3/order?invoice_id=CLI-4', { token });
  assert.match(body.description, /^paid by 411111\D{6}1111$/);
  assert.doesNotMatch(JSON.stringify(await dumpTables(service.database)), /4111111111111111/);
});

test('cancel ends a link by its id or its invoice, once, and is in the audit log', async () => {
  for (const invoice of ['CLI-C1', 'CLI-C2']) {
    const made = await runJson(`link create ${accountId} ${price} --invoice ${invoice}`);
    const byId = `link cancel ${made.payment_link_id}`;
    const byInvoice = `link cancel ${accountId} --invoice ${invoice}`;
    const words = invoice === 'CLI-C1' ? [byId, byInvoice] : [byInvoice, byId];
    for (const each of words) {
      assert.deepEqual(await runJson(each), {
        payment_link_id: made.payment_link_id,
        status: 'cancelled',
        order_id: made.order_id,
        account_id: accountId,
        invoice_id: invoice,
      });
    }
    const lines = (await auditOf(service, accountId)).filter(
      ({ object, action }) => object === made.order_id && action === 'link.cancelled',
    );
    assert.deepEqual(
      lines.map(({ actor }) => actor),
      ['cli'],
    );
  }
});

test('cancel says what is wrong, and changes nothing', async () => {
  const before = await dumpTables(service.database);
  const unknown = `${accountId.slice('acc_'.length)}${'0'.repeat(16)}`;
  for (const [words, sentence] of [
    ['', 'Give the id of a payment link, or an account id with --invoice.'],
    [accountId, '--invoice is missing: give --invoice INVOICE with an account.'],
    ['x', /^x is no payment_link_id: /],
    [unknown, /^No payment link of this account has this payment_link_id/],
    [`${'0'.repeat(32)}`, /^No payment link of this account has this payment_link_id/],
    [`${accountId} --invoice UNKNOWN`, /^No payment link of this account has this invoice_id/],
    ['acc_1 --invoice CLI-1', 'There is no account acc_1.'],
  ] as const) {
    const refusal = await refusalOf(`link cancel ${words}`.trim());
    if (typeof sentence === 'string') assert.equal(refusal, sentence, words);
    else assert.match(refusal, sentence, words);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a mistake is answered with one sentence that helps, and changes nothing', async () => {
  const suspended = await service.createAccount({ optionalOrderDetails: true });
  await suspendAccount(service.services, suspended.accountId, commandLine);
  await runJson(`link create ${accountId} ${price} --invoice CLI-5`);
  const before = await dumpTables(service.database);
  const create = `create ${accountId} --currency INR --invoice CLI-6`;
  for (const [words, sentence] of [
    [`create ${accountId} ${price}`, '--invoice is missing: give --invoice INVOICE.'],
    [`create ${price} --invoice CLI-6`, 'Give an account id.'],
    [`create acc_1 ${price} --invoice CLI-6`, 'There is no account acc_1.'],
    [`create ${suspended.accountId} ${price} --invoice CLI-6`, /^The account is suspended: /],
    [`${create} --amount 0`, '--amount must be more than 0.'],
    [`${create} --amount 1.001`, /^--amount /],
    [`${create} --amount ${'9'.repeat(100)}`, /^--amount /],
    [
      `create ${accountId} --amount 1 --currency inr --invoice CLI-6`,
      /^--currency must be an active ISO 4217 code/,
    ],
    [`create ${accountId} ${price} --invoice=`, '--invoice must not be empty.'],
    [
      `create ${accountId} ${price} --invoice ${'x'.repeat(256)}`,
      '--invoice must have at most 255 characters.',
    ],
    [`${create} --amount 1 --expires 367d`, '--expires must be at most 366 days ahead.'],
    [`${create} --amount 1 --expires 0s`, '--expires must be in the future.'],
    [`${create} --amount 1 --expires soon`, /^--expires must be a time with its zone, such as /],
    [`${create} --amount 1 --email asha`, '--email must be an e-mail address.'],
    [`${create} --amount 1 --phone 12`, /^--phone /],
    [
      `${create} --amount 1 --description ${'x'.repeat(1025)}`,
      '--description must have at most 1024 characters.',
    ],
    [
      `create ${accountId} --amount 119 --currency INR --invoice CLI-5`,
      /^invoice_id CLI-5 has an order with other content/,
    ],
  ] as const) {
    const refusal = await refusalOf(`link ${words}`);
    if (typeof sentence === 'string') assert.equal(refusal, sentence, words);
    else assert.match(refusal, sentence, words);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});
