/** Requests that are refused because too many wait are counted. Contract 9. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { httpLimits } from '../../../src/http/limits.ts';
import { runLoad } from '../../../tools/harness/raw-load.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { lockOrders } from '../../support/lock-orders.ts';
import { movedSince, scrape } from '../../support/metrics.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { token } = await service.createAccount();

test('requests shed for lack of a connection are counted', async () => {
  const before = await scrape(service);
  let refused = 0;
  const asked = Array.from({ length: 2_100 }, () =>
    service.database.query({ text: 'select 1' }).catch(() => {
      refused += 1;
    }),
  );
  // Shed requests are answered immediately; on a busy machine some of the waiting ones may time out.
  await setImmediate();
  const turnedAway = refused;
  await Promise.all(asked);
  assert.ok(turnedAway > 0);
  assert.equal(
    movedSince(before, await scrape(service))('requests_shed_total{queue="connections"}'),
    turnedAway,
  );
});

test('requests that the admission queue sheds are counted', async (t) => {
  const release = await lockOrders(service.database, t);
  const body = '{"order_id":"o_1"}';
  const flood = () =>
    runLoad({
      port: Number(new URL(service.baseUrl).port),
      connections: httpLimits.concurrentRequestsMax + 5,
      // One request on each connection.
      perSecond: 0,
      seconds: 0,
      next: () =>
        `POST /api/v3/transaction-enquiry HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    });
  // A request that is admitted and one that is queued wait for the same time. On a busy machine an admitted one may give
  // up first, and its place goes to a queued one: then fewer are shed, and the flood is repeated.
  await waitUntil('all requests above the limit are shed', async () => {
    const before = await scrape(service);
    const { statuses, lost } = await flood();
    const shed = movedSince(before, await scrape(service))('requests_shed_total{queue="requests"}');
    // Admitted requests are answered 503 too, because the lock is held longer than they wait.
    assert.ok((statuses.get(503) ?? 0) >= shed && lost === 0, JSON.stringify([...statuses]));
    assert.ok(shed <= 5, `${shed} were shed`);
    return shed === 5;
  });
  await release();
});
