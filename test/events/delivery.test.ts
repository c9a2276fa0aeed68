/** Events on their way to one endpoint: attempts, their schedule and their signatures. Contract 12.4 and 12.5. */

import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { commandLine } from '../../src/domain/audit.ts';
import { attemptSeconds } from '../../src/domain/events/attempt-schedule.ts';
import { allowedNetworksOf } from '../../src/security/endpoint-address.ts';
import { openPayload } from '../../src/security/sealed-payload.ts';
import { createEventSender } from '../../src/services/event-sender.ts';
import { suspendAccount } from '../../src/use-cases/accounts/suspend-account.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import {
  createEndpoint,
  type NewEndpoint,
  rotateEndpoint,
  updateEndpoint,
} from '../../src/use-cases/events/endpoints.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { captureOf, shopOf } from '../api/webhooks/shop.ts';
import {
  addEndpoint,
  answerStatus,
  holdAnswers,
  type ReceivedEvent,
  startShopEndpoint,
} from '../support/shop-endpoint.ts';
import { dumpTables } from '../support/test-database.ts';
import { type DeliveryRow, openEvents, startHeldRound } from './open-events.ts';

const events = await openEvents();
const { service, services } = events;
const daySeconds = 24 * 60 * 60;

describe('an event that is stored', () => {
  const deliveries = createEventDeliveries(services);
  service.services.announcer.listen(deliveries.startDeliveries);

  test('is sent at once, without a round that looks for it', async () => {
    const receiver = await startShopEndpoint();
    const account = await service.createAccount();
    const { secret } = await addEndpoint(service, account.accountId, receiver.url);
    await capture(account);
    await receiver.waitFor(2);
    assert.deepEqual(
      receiver.received
        .map(({ body }) => [body.sequence, body.event_type])
        .sort((a, b) => a[0] - b[0]),
      [
        [1, 'payment_success'],
        [2, 'order_completed'],
      ],
    );
    for (const event of receiver.received) {
      assert.deepEqual(verify(secret, event), event.body);
      assert.equal(event.headers['webhook-id'], event.body.event_id);
      assert.equal(event.headers['content-type'], 'application/json');
      assert.equal(event.headers['user-agent'], 'payment-order-service');
    }
  });

  test('goes to the endpoints that want its type', async () => {
    const [payments, orders, refunds] = await Promise.all([
      startShopEndpoint(),
      startShopEndpoint(),
      startShopEndpoint(),
    ]);
    const account = await service.createAccount();
    const { accountId } = account;
    for (const [{ url }, type] of [
      [payments, 'payment_success'],
      [orders, 'order_completed'],
    ] as const) {
      await createEndpoint(services, accountId, { url, events: [type, type] }, commandLine);
    }
    await addEndpoint(service, accountId, refunds.url, ['refund_success']);
    await capture(account);
    await Promise.all([payments.waitFor(1), orders.waitFor(1)]);
    const typesOf = ({ received }: typeof payments) => received.map(({ body }) => body.event_type);
    assert.deepEqual([payments, orders, refunds].map(typesOf), [
      ['payment_success'],
      ['order_completed'],
      [],
    ]);
  });

  test('of a suspended account is sent like any other', async () => {
    const receiver = await startShopEndpoint();
    const account = await service.createAccount();
    const shop = shopOf(service, account);
    const order = await shop.createOrder();
    await suspendAccount(service.services, account.accountId, commandLine);
    await addEndpoint(service, account.accountId, receiver.url);
    await shop.sendPartner(captureOf(order));
    await receiver.waitFor(2);
  });

  test('of an account with encrypted payloads is sealed with its secret', async () => {
    const receiver = await startShopEndpoint();
    const account = await service.createAccount({ encryptedPayloads: true });
    const { secret } = await addEndpoint(service, account.accountId, receiver.url);
    const order = await capture(account);
    await receiver.waitFor(2);
    for (const event of receiver.received) {
      assert.deepEqual(verify(secret, event), event.body);
      assert.deepEqual(Object.keys(event.body), ['encrypted_response', 'sub_merchant_id']);
      assert.equal(event.body.sub_merchant_id, account.accountId);
      const opened = openPayload(event.body.encrypted_response, account.accessSecret);
      const { event_id, svc_order_id } = JSON.parse(opened?.toString() ?? '');
      assert.equal(svc_order_id, order.order_id);
      assert.equal(event_id, event.headers['webhook-id']);
    }
  });
});

describe('an event that fails', () => {
  test('is repeated by the schedule with the same id and bytes, and at last undelivered', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(500);
    const endpoint = await events.addEndpoint(receiver.url);
    await events.store([endpoint]);
    await events.round();
    for (const [place, seconds] of attemptSeconds.entries()) {
      const row = await only(endpoint);
      assert.deepEqual([row.state, row.attempts, row.failures], ['pending', place + 1, place + 1]);
      const waits = secondsUntil(row);
      assert.ok(waits > seconds - 2 && waits <= seconds * 1.2, `${seconds}: ${waits}`);
      service.advanceSeconds(waits - 2);
      await events.round();
      assert.equal(receiver.received.length, place + 1, 'not before it is due');
      service.advanceSeconds(2);
      await events.round();
      assert.equal(receiver.received.length, place + 2);
    }
    const { next_attempt_at, ...row } = await only(endpoint);
    assert.deepEqual(row, { state: 'undelivered', attempts: 10, failures: 10 });
    assert.equal(next_attempt_at, null);
    service.advanceSeconds(30 * daySeconds);
    await events.round();
    const { received } = receiver;
    assert.equal(received.length, 10);
    const different = (header: string) => new Set(received.map(({ headers }) => headers[header]));
    assert.equal(different('webhook-id').size, 1);
    assert.equal(new Set(received.map(({ text }) => text)).size, 1);
    assert.equal(different('webhook-timestamp').size, 10);
    assert.equal(different('webhook-signature').size, 10);
    for (const event of received) verify(endpoint.secret, event);
    assert.deepEqual(
      await events.listAttempts(endpoint),
      Array.from({ length: 10 }, () => ({ status: 500, response: 'status 500' })),
    );
    assert.equal(await events.findReason(endpoint), null);
  });

  test('and then succeeds is delivered', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(302, { location: receiver.url });
    const endpoint = await events.addEndpoint(receiver.url);
    await events.store([endpoint]);
    await events.round();
    receiver.answer = answerStatus(204);
    service.advanceSeconds(7);
    await events.round();
    const { next_attempt_at, ...row } = await only(endpoint);
    assert.deepEqual(row, { state: 'delivered', attempts: 2, failures: 0 });
    assert.equal(next_attempt_at, null);
    const attempts = await events.listAttempts(endpoint);
    assert.deepEqual(
      attempts.map(({ status }) => status),
      [302, 204],
    );
  });

  const now = () => services.clock().getTime();
  const retryAfters: ReadonlyArray<readonly [() => string, number, number]> = [
    [() => '30', 30, 30],
    [() => '0', 1, 1],
    [() => '86401', daySeconds, daySeconds],
    [() => '99999999999999', daySeconds, daySeconds],
    [() => new Date(now() + 90_000).toUTCString(), 88, 90],
    [() => new Date(now() - 90_000).toUTCString(), 1, 1],
    [() => new Date(now() + 5e9).toUTCString(), daySeconds, daySeconds],
    [() => 'soon', 5, 6],
    [() => '-5', 5, 6],
  ];
  test('is repeated when the endpoint says, from a second to a day', async () => {
    const receiver = await startShopEndpoint();
    for (const [header, least, most] of retryAfters) {
      const value = header();
      receiver.answer = answerStatus(503, { 'retry-after': value });
      const endpoint = await events.addEndpoint(receiver.url);
      await events.store([endpoint]);
      await events.round();
      const waits = secondsUntil(await only(endpoint));
      assert.ok(waits > least - 2 && waits <= most, `${value}: ${waits}`);
    }
  });

  test('because its address is refused says so, and nothing is connected to', async () => {
    const receiver = await startShopEndpoint();
    const endpoint = await events.addEndpoint(receiver.url);
    const sender = createEventSender(allowedNetworksOf([], { loopback: false }));
    await events.store([endpoint]);
    await events.round({ ...services, sendEvent: sender.sendEvent });
    assert.deepEqual(await events.listAttempts(endpoint), [
      { status: null, response: 'the URL must begin with https://' },
    ]);
    assert.equal((await only(endpoint)).failures, 1);
    assert.equal(receiver.received.length, 0);
  });
});

describe('an attempt whose process died', () => {
  test('is repeated when its claim ends, and not before', async () => {
    const receiver = await startShopEndpoint();
    const endpoint = await events.addEndpoint(receiver.url);
    await events.store([endpoint], 3);
    assert.equal(await events.claim(endpoint), 3);
    service.advanceSeconds(38);
    await events.round();
    assert.equal(receiver.received.length, 0);
    // Within 60 s. Contract 12.5.
    service.advanceSeconds(3);
    await events.round();
    assert.equal(receiver.received.length, 3);
    const rows = await events.listDeliveries(endpoint);
    assert.deepEqual(
      new Set(rows.map(({ state, attempts }) => `${state} ${attempts}`)),
      new Set(['delivered 2']),
    );
  });

  test('a success that is recorded late counts, also after a later attempt has failed', async () => {
    const { receiver, held, endpoint, round } = await startHeldRound(events);
    service.advanceSeconds(41);
    receiver.answer = answerStatus(500);
    await events.round();
    assert.deepEqual([(await only(endpoint)).state, receiver.received.length], ['pending', 2]);
    held.release();
    await round;
    assert.equal((await only(endpoint)).state, 'delivered');
  });

  test('a failure that is recorded late changes nothing', async () => {
    const { receiver, held, endpoint, round } = await startHeldRound(events, 2);
    service.advanceSeconds(41);
    const statuses = [200, 500];
    receiver.answer = (reply) => {
      reply.writeHead(statuses.pop() ?? 200).end();
    };
    await events.round();
    const before = await events.listDeliveries(endpoint);
    assert.deepEqual(before.map(({ state }) => state).sort(), ['delivered', 'pending']);
    held.release(503);
    await round;
    assert.deepEqual(await events.listDeliveries(endpoint), before);
    assert.equal((await events.listAttempts(endpoint)).length, 4);
  });
});

describe('secrets', () => {
  test('during the overlap of a rotation both sign, and after it the new one alone', async () => {
    const receiver = await startShopEndpoint();
    const endpoint = await events.addEndpoint(receiver.url);
    const { secret: next } = await rotateEndpoint(services, endpoint.endpointId, 3600, commandLine);
    await events.store([endpoint]);
    await events.round();
    const [during] = receiver.received;
    assert.ok(during);
    verify(endpoint.secret, during);
    verify(next, during);
    assert.equal(signaturesOf(during).length, 2);
    service.advanceSeconds(3601);
    await events.store([endpoint]);
    await events.round();
    const after = receiver.received[1];
    assert.ok(after);
    verify(next, after);
    assert.throws(() => verify(endpoint.secret, after));
    assert.equal(signaturesOf(after).length, 1);
    // A longer overlap does not bring back a secret that has ended.
    await rotateEndpoint(services, endpoint.endpointId, 7200, commandLine);
    await events.store([endpoint]);
    await events.round();
    const last = receiver.received[2];
    assert.ok(last);
    assert.equal(signaturesOf(last).length, 2);
    assert.throws(() => verify(endpoint.secret, last));
  });

  test('are sealed in the database', async () => {
    const { secret, endpointId } = await events.addEndpoint('https://shop.test/');
    const { secret: rotated } = await rotateEndpoint(services, endpointId, 60, commandLine);
    const stored = JSON.stringify(await dumpTables(service.database));
    assert.ok(stored.includes(endpointId));
    for (const clear of [secret, rotated]) {
      const key = Buffer.from(clear.slice('whsec_'.length), 'base64');
      for (const form of [
        clear.slice('whsec_'.length),
        key.toString('hex'),
        key.toString('latin1'),
      ]) {
        assert.ok(!stored.includes(form));
      }
    }
  });
});

test('a changed URL applies to events that wait', async () => {
  const [former, present] = [await startShopEndpoint(), await startShopEndpoint()];
  former.answer = answerStatus(500);
  const endpoint = await events.addEndpoint(former.url);
  await events.store([endpoint]);
  await events.round();
  await updateEndpoint(services, endpoint.endpointId, { url: present.url }, commandLine);
  service.advanceSeconds(7);
  await events.round();
  assert.deepEqual([former.received.length, present.received.length], [1, 1]);
  assert.equal(present.received[0]?.text, former.received[0]?.text);
});

test('a sender that is stopped claims nothing more', async () => {
  const receiver = await startShopEndpoint();
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 2);
  let stopping: Promise<void> | undefined;
  const deliveries = createEventDeliveries({
    ...services,
    accounts: {
      ...services.accounts,
      find: (accountId) => {
        // Between the look for due events and the claim.
        stopping = deliveries.stop();
        return services.accounts.find(accountId);
      },
    },
  });
  await deliveries.startDue();
  await stopping;
  assert.equal(receiver.received.length, 0);
  assert.equal(await events.claim(endpoint), 2, 'nothing was claimed');
});

test('a sender that stops waits for the result of each attempt', async () => {
  const receiver = await startShopEndpoint();
  const held = holdAnswers();
  receiver.answer = held.answer;
  const endpoint = await events.addEndpoint(receiver.url);
  await events.store([endpoint], 2);
  const deliveries = createEventDeliveries(services);
  deliveries.startDeliveries([endpoint]);
  await waitUntil('both have arrived', () => held.count() === 2);
  const stopped = deliveries.stop();
  held.release();
  await stopped;
  const rows = await events.listDeliveries(endpoint);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ['delivered', 'delivered'],
  );
});

async function capture(account: Parameters<typeof shopOf>[1]) {
  const shop = shopOf(service, account);
  const order = await shop.createOrder();
  await shop.sendPartner(captureOf(order));
  return order;
}

async function only(endpoint: NewEndpoint): Promise<DeliveryRow> {
  const [row, ...others] = await events.listDeliveries(endpoint);
  assert.ok(row);
  assert.equal(others.length, 0);
  return row;
}

function secondsUntil({ next_attempt_at }: DeliveryRow): number {
  assert.ok(next_attempt_at);
  return (next_attempt_at.getTime() - services.clock().getTime()) / 1000;
}

function signaturesOf({ headers }: ReceivedEvent): string[] {
  return String(headers['webhook-signature']).split(' ');
}

/** By an independent implementation, at the time of the attempt: the clock of the service is elsewhere. */
function verify(secret: string, { headers, text }: ReceivedEvent): unknown {
  const now = Number(headers['webhook-timestamp']) * 1000;
  mock.timers.enable({ apis: ['Date'], now });
  try {
    return new Webhook(secret).verify(text, headers as Record<string, string>);
  } finally {
    mock.timers.reset();
  }
}
