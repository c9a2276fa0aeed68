/** The settings of an account: who sees and who changes them, what is refused, and what the log says. Contract 13.8. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, type Person } from '../../support/dashboard.ts';
import { images, pngOf } from '../../support/images.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount({ name: 'Tea shop' });
const { accountId } = account;
const owner = await join(service, accountId, 'owner');

test('a viewer sees the settings and no secret', async () => {
  const viewer = await join(service, accountId, 'viewer');
  const { status, body, headers } = await viewer.get('/settings');
  assert.equal(status, 200);
  assert.equal(headers.get('cache-control'), 'no-store');
  const { secrets, providers, created_at, access_key, ...rest } = body;
  assert.equal(access_key, account.accessKey);
  assert.deepEqual(
    secrets.map(({ name, former }: { name: string; former: [] }) => [name, former.length]),
    [
      ['access-secret', 0],
      ['partner-webhook-secret', 0],
      ['bank-gateway-secret', 0],
    ],
  );
  for (const one of secrets) assert.ok(Date.parse(one.created_at) >= Date.parse(created_at));
  assert.deepEqual(
    providers.map((one: { webhook_url: string; options: { name: string; kind: string }[] }) => [
      one.webhook_url,
      ...one.options.map(({ name, kind }) => `${name} ${kind}`),
    ]),
    [
      [
        account.partnerWebhookUrl,
        'partner-key-id login',
        'partner-key-secret secret',
        'partner-url url',
        'partner-upi-intent plain',
      ],
      [
        account.bankGatewayWebhookUrl,
        'bank-gateway-merchant login',
        'bank-gateway-password secret',
        'bank-gateway-url url',
        'bank-gateway-hold-days plain',
      ],
    ],
  );
  assert.deepEqual(rest.payment_modes[0], { mode: 'upi', title: 'UPI', provider: 'partner' });
  assert.deepEqual(
    [rest.name, rest.colour, rest.logo, rest.callback_origins, rest.frame_origins],
    ['Tea shop', null, null, [], []],
  );
  const text = JSON.stringify(body);
  for (const secret of [account.accessSecret, account.partnerWebhookSecret]) {
    assert.ok(!text.includes(secret));
  }
});

test('an owner changes what is given and nothing else; the log names what changed', async () => {
  const shop = await service.createAccount();
  const person = await join(service, shop.accountId, 'owner');
  const { body: before } = await person.get('/settings');
  const reply = await change(person, {
    name: 'Coffee shop',
    colour: '#07F',
    support_email: 'help@shop.example',
    upi_collect: true,
    callback_origins: ['https://shop.example/', 'https://shop.example'],
    payment_modes: { wallet: null, credit_card: 'bank-gateway' },
    alternate_currencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const modes = before.payment_modes.map((one: { mode: string }) => {
    if (one.mode === 'wallet') return { ...one, provider: null };
    return one.mode === 'credit_card' ? { ...one, provider: 'bank-gateway' } : one;
  });
  assert.deepEqual(reply.body, {
    ...before,
    name: 'Coffee shop',
    colour: '#0077ff',
    support_email: 'help@shop.example',
    upi_collect: true,
    shades: reply.body.shades,
    callback_origins: ['https://shop.example'],
    payment_modes: modes,
    alternate_currencies: [{ from: 'USD', to: 'INR', rate: '83.25' }],
  });
  assert.equal(reply.body.shades.light.button, '#0077ff');
  assert.deepEqual((await person.get('/settings')).body, reply.body);
  const entry = (await auditOf(service, shop.accountId)).at(-1);
  assert.ok(Array.isArray(entry?.details.changed));
  assert.deepEqual(
    { ...entry, details: entry.details.changed.toSorted() },
    {
      actor: person.email,
      user_id: person.userId,
      address: person.address,
      action: 'account.updated',
      object: shop.accountId,
      details: [
        'alternateCurrencies',
        'callbackOrigins',
        'colour',
        'name',
        'paymentModes',
        'supportEmail',
        'upiCollect',
      ],
    },
  );
});

test('what does not change anything is not in the log', async () => {
  const entries = async () => (await auditOf(service, accountId)).length;
  const before = await entries();
  assert.equal((await change(owner, {})).status, 200);
  assert.equal((await change(owner, { name: 'Tea shop', colour: null })).status, 200);
  assert.equal(await entries(), before);
});

const refused: ReadonlyArray<readonly [body: unknown, message: RegExp]> = [
  [{ name: ' ' }, /^name must have 1 to 255 characters\.$/],
  [{ colour: 'red' }, /^colour must be # and six/],
  [{ support_email: 'nobody' }, /^support email must be an e-mail address/],
  [{ support_phone: 'call us' }, /^support phone must be a number/],
  [{ support_url: 'javascript:alert(1)' }, /^support URL must be an https URL/],
  [{ callback_origins: ['https://shop.example/path'] }, /^callback origin https:.* must be https/],
  [{ frame_origins: ['https://*.example'] }, /^frame origin https:.* must be https/],
  [{ alternate_currencies: [{ from: 'USD', to: 'XXX1', rate: '1' }] }, /unknown currency XXX1/],
  [{ alternate_currencies: [{ from: 'USD', to: 'INR', rate: '0' }] }, /needs a rate above 0/],
  [{ payment_modes: { upi: 'nobody' } }, /^nobody is not a provider\.$/],
  [{ payment_modes: { cheque: 'partner' } }, /^payment_modes takes no cheque: leave it out/],
  [{ signature_version: 'v1' }, /signature_version/],
  [{ late_payments: 'sometimes' }, /late_payments/],
  [{ requests_per_second: 1000 }, /^The body takes no requests_per_second: leave it out/],
  [{ name: 1 }, /name/],
  [{ providers: { 'no-such-option': 'x' } }, /^no-such-option is not a setting of a provider/],
  [{ providers: { 'partner-upi-intent': 'maybe' } }, /must be on or off/],
  [{ providers: { 'partner-key-id': 'a b' } }, /^partner login must have 1 to 64/],
  [{ providers: { 'partner-key-secret': '' } }, /^partner-key-secret must have at least one/],
  [{ providers: { 'bank-gateway-url': 'https://b.example' } }, /needs bank-gateway-merchant/],
  [
    { providers: { 'partner-key-id': 'k', 'partner-url': 'https://10.0.0.1' } },
    /^partner URL must be on the internet/,
  ],
  [
    { providers: { 'partner-key-id': 'k', 'partner-url': 'http://partner.example' } },
    /^partner URL must begin with https/,
  ],
  [{ logo: 'no base64!' }, /^logo must be the bytes of an image in base64/],
  [{ logo: Buffer.from('<svg/>').toString('base64') }, /^logo must be a PNG, JPEG or WebP/],
  [{ logo: pngOf(64 * 1024 + 1).toString('base64') }, /^logo must have at most 64 KiB/],
];

test('a value that cannot work is refused with its reason, and nothing changes', async () => {
  const { body: before } = await owner.get('/settings');
  const entries = await auditOf(service, accountId);
  for (const [body, message] of refused) {
    const reply = await change(owner, { support_phone: '+91 80 1234 5678', ...(body as object) });
    const text = JSON.stringify(body).slice(0, 80);
    assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER'], text);
    assert.match(reply.body.error.svc_merchant_message, message, text);
  }
  assert.deepEqual((await owner.get('/settings')).body, before);
  assert.deepEqual(await auditOf(service, accountId), entries);
  const tooLarge = await change(owner, { logo: 'A'.repeat(200_000) });
  assert.deepEqual(codeOf(tooLarge), [413, 'PAYLOAD_TOO_LARGE']);
});

test('a logo is stored, served and removed', async () => {
  const { body } = await change(owner, { logo: images.png.toString('base64') });
  assert.deepEqual([body.logo.media_type, body.logo.bytes], ['image/png', images.png.length]);
  const served = await service.call(body.logo.url);
  assert.equal(served.headers.get('content-type'), 'image/png');
  assert.deepEqual((await auditOf(service, accountId)).at(-1)?.details, { changed: ['logo'] });
  assert.equal((await change(owner, { logo: null })).body.logo, null);
  assert.equal((await service.call(body.logo.url)).status, 404);
});

test('the keys of a provider are set, never shown, and another address needs the secret again', async () => {
  const shop = await service.createAccount();
  const person = await join(service, shop.accountId, 'owner');
  const secret = 'a-secret-of-the-provider';
  const set = await change(person, {
    providers: { 'partner-key-id': 'key_1', 'partner-key-secret': secret },
  });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  const optionsOf = (body: typeof set.body) => body.providers[0].options;
  const [login, stored, url] = optionsOf(set.body);
  assert.equal(login.value, 'key_1');
  assert.deepEqual([stored.value, typeof stored.set_at], [null, 'string']);
  assert.match(url.value, /^https:/);
  assert.ok(!JSON.stringify(set.body).includes(secret));
  const log = JSON.stringify(await auditOf(service, shop.accountId));
  assert.match(log, /partner-key-secret/);
  assert.ok(!log.includes(secret));
  const stolen = { 'partner-url': 'https://elsewhere.example' };
  const refusal = await change(person, { providers: stolen });
  assert.match(refusal.body.error.svc_merchant_message, /^partner-key-secret must be given again/);
  const given = { ...stolen, 'partner-key-secret': 'another-secret-of-the-provider' };
  assert.equal((await change(person, { providers: given })).status, 200);
  service.advanceSeconds(5 * 60 + 1);
  assert.equal((await change(person, { providers: given })).status, 403);
  assert.equal((await change(person, { name: 'Other' })).status, 200, 'a name needs no proof');
});

test('only an owner changes settings, each of their own account only, and of no suspended one', async () => {
  for (const role of ['viewer', 'operator'] as const) {
    const person = await join(service, accountId, role);
    assert.equal((await person.get('/settings')).status, 200);
    assert.deepEqual(codeOf(await change(person, { name: 'x' })), [403, 'PERMISSION_DENIED']);
  }
  const other = await service.createAccount({ name: 'Other shop' });
  const theirs = await join(service, other.accountId, 'owner');
  assert.equal((await change(theirs, { name: 'Mine' })).body.account_id, other.accountId);
  assert.equal((await owner.get('/settings')).body.name, 'Tea shop');
  await suspendAccount(service.services, other.accountId, commandLine);
  assert.equal((await theirs.get('/settings')).status, 200);
  assert.deepEqual(codeOf(await change(theirs, { name: 'x' })), [403, 'ACCOUNT_SUSPENDED']);
});

function change(person: Person, body: unknown) {
  return person.send('PATCH', '/settings', body);
}
