/** What a session may change only after its user has confirmed who they are. Contract 13.9. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, newEmail, password } from '../../support/dashboard.ts';
import { addEndpoint } from '../../support/shop-endpoint.ts';
import { startTestService } from '../../support/test-service.ts';

type Change = readonly [name: string, method: string, path: string, body?: unknown];

const service = await startTestService();
const { accountId } = await service.createAccount({ name: 'Tea shop' });
const owner = await join(service, accountId, 'owner');
const { userId } = await join(service, accountId, 'viewer');
const endpoint = `/endpoints/${(await addEndpoint(service, accountId, 'https://shop.example/')).endpointId}`;
const invited = await owner.post('/team/invitations', { email: newEmail(), role: 'viewer' });
service.advanceSeconds(5 * 60);

const setting = (name: string, value: unknown) =>
  [name, 'PATCH', '/settings', { [name]: value }] as const;
const guarded: readonly Change[] = [
  setting('alternate_currencies', [{ from: 'USD', to: 'INR', rate: '83.25' }]),
  setting('callback_origins', ['https://shop.example']),
  setting('frame_origins', ['https://shop.example']),
  setting('signature_version', 'v2'),
  setting('late_payments', 'refund'),
  setting('encrypted_payloads', true),
  setting('payment_modes', { wallet: null }),
  setting('providers', { 'partner-upi-intent': 'on' }),
  setting('support_email', 'help@shop.example'),
  setting('support_phone', '+91 80 1234 5678'),
  setting('support_url', 'https://shop.example/help'),
  ['endpoint added', 'POST', '/endpoints', { url: 'https://second.example/' }],
  ['endpoint URL', 'PATCH', endpoint, { url: 'https://shop.example/v2' }],
  ['endpoint events', 'PATCH', endpoint, { events: ['payment_failed'] }],
  ['endpoint disabled', 'PATCH', endpoint, { enabled: false }],
  ['endpoint secret', 'POST', `${endpoint}/rotate`, {}],
  ['endpoint deleted', 'DELETE', endpoint],
  ['access secret', 'POST', '/settings/secrets/access-secret/rotate', { overlap_seconds: 0 }],
  ['invitation', 'POST', '/team/invitations', { email: newEmail(), role: 'owner' }],
  ['withdrawal', 'DELETE', `/team/invitations/${invited.body.invitation_id}`],
  ['role', 'PATCH', `/team/${userId}`, { role: 'owner' }],
  ['member removed', 'DELETE', `/team/${userId}`],
];

test('a session without a confirmation changes neither money nor access', async () => {
  const before = await auditOf(service, accountId);
  for (const [name, method, path, body] of guarded) {
    const reply = await owner.send(method, path, body);
    assert.deepEqual(codeOf(reply), [403, 'CONFIRMATION_REQUIRED'], name);
    assert.match(reply.body.error.svc_merchant_message, /^Confirm who you are first/, name);
  }
  assert.deepEqual(await auditOf(service, accountId), before);
});

test('what is refused before is not read: a body that makes no sense gets the same answer', async () => {
  const reply = await owner.send('PATCH', endpoint, { url: 7 });
  assert.deepEqual(codeOf(reply), [403, 'CONFIRMATION_REQUIRED']);
});

test('a change of both kinds is refused as a whole', async () => {
  const both = { name: 'Other shop', signature_version: 'v2' };
  assert.equal((await owner.send('PATCH', '/settings', both)).status, 403);
  assert.equal((await owner.get('/settings')).body.name, 'Tea shop');
});

const free: readonly Change[] = [
  setting('name', 'Tea house'),
  setting('colour', '#07F'),
  setting('logo', null),
  setting('upi_collect', true),
  setting('optional_order_details', true),
];
for (const [name, method, path, body] of free) {
  test(`${name} needs no confirmation`, async () => {
    assert.equal((await owner.send(method, path, body)).status, 200);
  });
}

test('after a confirmation each change is made, with a line in the log', async () => {
  assert.equal((await owner.post('/confirm', { password })).status, 200);
  for (const [name, method, path, body] of guarded) {
    const lines = (await auditOf(service, accountId)).length;
    const reply = await owner.send(method, path, body);
    assert.ok(reply.status < 300, `${name}: ${JSON.stringify(reply.body)}`);
    const entry = (await auditOf(service, accountId))[lines];
    assert.equal(entry?.actor, owner.email, name);
  }
});
