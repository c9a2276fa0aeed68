import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newEndpointSecret, signEvent } from '../../src/security/event-signature.ts';

const event = { eventId: 'evt_1', body: Buffer.from('{"status":"succeeded","message":"चालान"}') };
const now = () => Math.floor(Date.now() / 1000);

test('an independent implementation accepts our signatures, under each live secret', () => {
  const secrets = [newEndpointSecret(), newEndpointSecret()];
  const timestamp = now();
  const headers = {
    'webhook-id': event.eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signEvent({ ...event, timestamp }, secrets),
  };
  for (const secret of secrets) {
    const verified = new Webhook(secret).verify(event.body, headers);
    assert.deepEqual(verified, JSON.parse(event.body.toString()));
  }
  const changed = Buffer.from(event.body.toString().replace('succeeded', 'failed'));
  assert.throws(() => new Webhook(secrets[0] ?? '').verify(changed, headers));
  assert.throws(() => new Webhook(newEndpointSecret()).verify(event.body, headers));
});

test('our signature equals that of an independent implementation', () => {
  const secret = newEndpointSecret();
  const timestamp = now();
  const theirs = new Webhook(secret).sign(
    event.eventId,
    new Date(timestamp * 1000),
    event.body.toString(),
  );
  assert.equal(signEvent({ ...event, timestamp }, [secret]), theirs);
});

test('a secret is 32 random bytes', () => {
  const secret = newEndpointSecret();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(secret, newEndpointSecret());
});
