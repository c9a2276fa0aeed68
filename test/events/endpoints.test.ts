/** Endpoints that are disabled, enabled, deleted or gone, and events that are sent again. Contract 12.1, 12.5 and 12.7. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { eventLimits } from '../../src/domain/events/limits.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  type NewEndpoint,
  updateEndpoint,
} from '../../src/use-cases/events/endpoints.ts';
import { resendEvents } from '../../src/use-cases/events/resend-events.ts';
import { accept, answerStatus, startShopEndpoint } from '../support/shop-endpoint.ts';
import { dumpTables } from '../support/test-database.ts';
import { openEvents, startHeldRound } from './open-events.ts';

const events = await openEvents();
const { service, services } = events;
const daySeconds = 24 * 60 * 60;

describe('an endpoint', () => {
  test('that answers 410 is disabled: its event is undelivered, and what waits is not sent', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(500);
    const endpoint = await events.addEndpoint(receiver.url);
    await events.store([endpoint]);
    await events.round();
    receiver.answer = answerStatus(410, { 'retry-after': '5' });
    await events.store([endpoint]);
    await events.round();
    assert.deepEqual((await statesOf(endpoint)).sort(), ['pending', 'undelivered']);
    assert.equal(await events.findReason(endpoint), 'The endpoint answered 410 Gone.');
    service.advanceSeconds(daySeconds);
    await events.round();
    assert.equal(receiver.received.length, 2);
  });

  test('that fails for five days is disabled, with the reason', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(500);
    const endpoint = await events.addEndpoint(receiver.url);
    const startedAt = services.clock().getTime();
    for (const [days, isDisabled] of [
      [0, false],
      [2, false],
      [2.9, false],
      [0.2, true],
    ] as const) {
      service.advanceSeconds(days * daySeconds);
      await events.store([endpoint]);
      await events.round();
      const reason = await events.findReason(endpoint);
      assert.equal(reason !== null, isDisabled, `${days}: ${reason}`);
    }
    const [, since = ''] =
      /^Every attempt has failed since (.+)\.$/.exec((await events.findReason(endpoint)) ?? '') ??
      [];
    assert.ok(Math.abs(Date.parse(since) - startedAt) < 60_000, since);
    // Enabled again, it has five days again.
    await enableEndpoint(services, endpoint.endpointId, commandLine);
    await events.round();
    assert.equal(await events.findReason(endpoint), null);
  });

  test('that succeeds once in five days stays enabled', async () => {
    const receiver = await startShopEndpoint();
    const endpoint = await events.addEndpoint(receiver.url);
    for (const [days, status] of [
      [0, 500],
      [3, 200],
      [1, 500],
      [3, 500],
      [1.9, 500],
    ] as const) {
      service.advanceSeconds(days * daySeconds);
      receiver.answer = answerStatus(status);
      await events.store([endpoint]);
      await events.round();
      assert.equal(await events.findReason(endpoint), null);
    }
    service.advanceSeconds(0.2 * daySeconds);
    await events.store([endpoint]);
    await events.round();
    assert.notEqual(await events.findReason(endpoint), null);
  });

  test('with a new URL has five days again', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(500);
    const endpoint = await events.addEndpoint(receiver.url);
    await events.store([endpoint]);
    await events.round();
    service.advanceSeconds(6 * daySeconds);
    await updateEndpoint(services, endpoint.endpointId, { url: `${receiver.url}/v2` }, commandLine);
    await events.round();
    assert.equal(receiver.received.length, 2);
    assert.equal(await events.findReason(endpoint), null);
    // Other types of events are no reason to believe that it works now.
    await updateEndpoint(
      services,
      endpoint.endpointId,
      { events: ['payment_success'] },
      commandLine,
    );
    service.advanceSeconds(6 * daySeconds);
    await events.round();
    assert.notEqual(await events.findReason(endpoint), null);
  });

  test('that is disabled gets nothing, and what waits is sent when it is enabled', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(503, { 'retry-after': String(daySeconds) });
    const endpoint = await events.addEndpoint(receiver.url);
    await events.store([endpoint]);
    await events.round();
    receiver.answer = accept;
    await events.store([endpoint]);
    await disableEndpoint(services, endpoint.endpointId, commandLine);
    assert.equal(await events.findReason(endpoint), 'Disabled by the operator.');
    await events.round();
    assert.equal(receiver.received.length, 1);
    // Now, not when their next attempts would have been.
    await enableEndpoint(services, endpoint.endpointId, commandLine);
    await events.round();
    assert.deepEqual(await statesOf(endpoint), ['delivered', 'delivered']);
    await enableEndpoint(services, endpoint.endpointId, commandLine);
  });

  test('that is enabled takes a limited time, however much waits', async () => {
    const endpoint = await events.addEndpoint('https://shop.test/busy');
    let rounds = 0;
    const query: typeof service.database.query = async (statement) => {
      if (!statement.text.includes('with waiting as')) return service.database.query(statement);
      rounds += 1;
      assert.ok(rounds < 1_000, 'it goes on for ever');
      // As many as the statement may take: more may wait.
      return { rows: [], rowCount: eventLimits.eventsMadeDueMax, command: 'UPDATE' };
    };
    const busy = { ...services, database: { ...service.database, query } };
    const enabled = await enableEndpoint(busy, endpoint.endpointId, commandLine);
    assert.deepEqual([enabled.disabledReason, rounds], [null, eventLimits.eventRoundsMadeDueMax]);
  });

  test('that is enabled is not sent what is on its way', async () => {
    const { receiver, held, endpoint, round } = await startHeldRound(events);
    await disableEndpoint(services, endpoint.endpointId, commandLine);
    await enableEndpoint(services, endpoint.endpointId, commandLine);
    await events.round();
    held.release();
    await round;
    assert.equal(receiver.received.length, 1);
  });

  test('that is deleted leaves neither waiting events nor attempts nor secrets', async () => {
    const { receiver, held, endpoint, round } = await startHeldRound(events);
    await events.store([endpoint]);
    await deleteEndpoint(services, endpoint.endpointId, commandLine);
    held.release(500);
    await round;
    await events.round();
    assert.equal(receiver.received.length, 1);
    // The rows of its events stay, so that their numbers have no gap, and so does what was done to it.
    const rows = await events.listDeliveries(endpoint);
    assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(['dropped']));
    const { events: _, audit: _log, ...others } = await dumpTables(service.database);
    for (const [table, found] of Object.entries(others)) {
      assert.ok(!JSON.stringify(found).includes(endpoint.endpointId), table);
    }
    await assert.rejects(enableEndpoint(services, endpoint.endpointId, commandLine), {
      code: 'NOT_FOUND',
    });
  });

  test('is one of ten at most, however many are created at once', async () => {
    const { accountId } = await service.createAccount();
    const created = await Promise.allSettled(
      Array.from({ length: 15 }, (_, index) =>
        createEndpoint(
          services,
          accountId,
          { url: `https://shop.test/${index}`, events: [] },
          commandLine,
        ),
      ),
    );
    const refused = created.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 5);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      assert.equal(
        reason.merchantMessage,
        `account has ${eventLimits.endpointsMax} endpoints, and that is the limit: delete one first.`,
      );
    }
  });
});

describe('an event that is sent again', () => {
  test('is sent with the same id and bytes, whatever became of it', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(410);
    const endpoint = await events.addEndpoint(receiver.url);
    const undelivered = await storeOne(endpoint);
    await events.round();
    await enableEndpoint(services, endpoint.endpointId, commandLine);
    receiver.answer = accept;
    const delivered = await storeOne(endpoint);
    await events.round();
    receiver.answer = answerStatus(503, { 'retry-after': '3600' });
    const pending = await storeOne(endpoint);
    await events.round();
    assert.deepEqual((await statesOf(endpoint)).sort(), ['delivered', 'pending', 'undelivered']);
    receiver.answer = accept;
    const first = receiver.received.map(({ headers, text }) => [headers['webhook-id'], text]);
    receiver.clear();
    for (const event of [undelivered, delivered, pending]) {
      assert.deepEqual(await resendEvents(services, { event }, undefined, commandLine), {
        resent: 1,
        pruned: 0,
      });
    }
    await events.round();
    const again = receiver.received.map(({ headers, text }) => [headers['webhook-id'], text]);
    assert.deepEqual(again.sort(), first.sort());
    assert.deepEqual(await statesOf(endpoint), ['delivered', 'delivered', 'delivered']);
    assert.equal((await events.listAttempts(endpoint)).length, 6);
  });

  test('has the whole schedule again', async () => {
    const receiver = await startShopEndpoint();
    receiver.answer = answerStatus(500);
    const endpoint = await events.addEndpoint(receiver.url);
    const event = await storeOne(endpoint);
    await service.database.query({
      text: `update events set state = 'undelivered', failures = 10, attempts = 10,
                    next_attempt_at = null where endpoint_id = $1`,
      values: [endpoint.endpointId],
    });
    await resendEvents(services, { event }, endpoint.endpointId, commandLine);
    await events.round();
    const [row] = await events.listDeliveries(endpoint);
    assert.deepEqual([row?.state, row?.failures, row?.attempts], ['pending', 1, 11]);
  });

  test('is not sent twice at once while it is on its way', async () => {
    const { receiver, held, endpoint, ids, round } = await startHeldRound(events);
    const event = firstEventOf(endpoint, ids);
    assert.equal((await resendEvents(services, { event }, undefined, commandLine)).resent, 1);
    await events.round();
    held.release();
    await round;
    assert.equal(receiver.received.length, 1);
    assert.deepEqual(await statesOf(endpoint), ['delivered']);
  });

  test('since a time, to one endpoint or to all', async () => {
    const [one, other] = [await startShopEndpoint(), await startShopEndpoint()];
    const { endpoints } = await events.addAccount([one.url, other.url]);
    const [chosen] = endpoints;
    assert.ok(chosen);
    await events.store(endpoints);
    service.advanceSeconds(10);
    const since = services.clock();
    await events.store(endpoints, 2);
    await events.round();
    one.clear();
    other.clear();
    assert.equal(
      (await resendEvents(services, { since }, chosen.endpointId, commandLine)).resent,
      2,
    );
    await events.round();
    assert.deepEqual([one.received.length, other.received.length], [2, 0]);
    assert.equal((await resendEvents(services, { since }, undefined, commandLine)).resent, 4);
    await events.round();
    assert.deepEqual([one.received.length, other.received.length], [4, 2]);
  });

  test('is refused for a disabled endpoint, also when another one is enabled', async () => {
    const receiver = await startShopEndpoint();
    const { endpoints } = await events.addAccount([receiver.url, receiver.url]);
    const [disabled, enabled] = endpoints;
    assert.ok(disabled && enabled);
    const event = await storeOne(disabled);
    await disableEndpoint(services, disabled.endpointId, commandLine);
    for (const endpointId of [disabled.endpointId, undefined]) {
      await assert.rejects(resendEvents(services, { event }, endpointId, commandLine), {
        code: 'INVALID_REQUEST_PARAMETER',
        merchantMessage: `Endpoint ${disabled.endpointId} is disabled (Disabled by the operator.): enable it first, on the dashboard or with "endpoint enable ${disabled.endpointId}".`,
      });
    }
    const since = { since: services.clock() };
    await assert.rejects(resendEvents(services, since, disabled.endpointId, commandLine), {
      code: 'INVALID_REQUEST_PARAMETER',
    });
    // An event that the enabled one has is sent to it, and not to the disabled one.
    const [orderId = ''] = await events.store([{ ...enabled, secret: '' }]);
    const ofEnabled = { accountId: enabled.accountId, orderId, sequence: 1 };
    assert.equal(
      (await resendEvents(services, { event: ofEnabled }, undefined, commandLine)).resent,
      1,
    );
  });

  test('is refused for an endpoint that never had it, or does not exist', async () => {
    const receiver = await startShopEndpoint();
    const { endpoints } = await events.addAccount([receiver.url, receiver.url]);
    const [one, other] = endpoints;
    assert.ok(one && other);
    const event = await storeOne(one);
    assert.equal(
      (await resendEvents(services, { event }, other.endpointId, commandLine)).resent,
      0,
    );
    await deleteEndpoint(services, one.endpointId, commandLine);
    assert.equal((await resendEvents(services, { event }, undefined, commandLine)).resent, 0);
    await assert.rejects(resendEvents(services, { event }, one.endpointId, commandLine), {
      code: 'NOT_FOUND',
    });
  });
});

async function storeOne(endpoint: NewEndpoint) {
  return firstEventOf(endpoint, await events.store([endpoint]));
}

function firstEventOf({ accountId }: NewEndpoint, [orderId = '']: readonly string[]) {
  return { accountId, orderId, sequence: 1 };
}

async function statesOf(endpoint: NewEndpoint): Promise<string[]> {
  return (await events.listDeliveries(endpoint)).map(({ state }) => state);
}
