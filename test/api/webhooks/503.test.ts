import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createMetrics } from '../../../src/http/operator/metrics.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { buildApp } from '../../../src/process/app.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import { clusterAddress, connectToCluster, dumpTables } from '../../support/test-database.ts';
import { callService, type Reply, testMasterKeyHex } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';
import {
  assertInvariants,
  captureOf,
  gatewayPaymentOf,
  openShop,
  type Shop,
  shopOf,
} from './shop.ts';

const shop = await openShop();
const line = await openLine();
const remote = await startOver(line.port);

test('while the database is down every delivery is answered 503, and none is lost', async () => {
  const orders = await Promise.all(Array.from({ length: 6 }, () => shop.createOrder()));
  const sends = orders.map((order, index) =>
    index % 2 === 0
      ? () =>
          remote.sendPartner(captureOf(order, { id: `pay_away${index}` }), {
            eventId: `away${index}`,
          })
      : () => remote.sendGateway(gatewayPaymentOf(order)),
  );
  const before = await dumpTables(shop.service.database);

  line.cut();
  for (const send of sends) assertAway(await send());
  assertAway(await remote.sendAsBearer('partner', captureOf({ order_id: 'o_0000000000000000' })));
  assert.deepEqual(await dumpTables(shop.service.database), before);

  await line.mend();
  const replies = await Promise.all(sends.map((send) => send()));
  assert.deepEqual([...new Set(replies.map(({ body }) => body.status))], ['processed']);
  for (const { order_id } of orders) {
    assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
  }
});

test('a delivery answered 200 before the database went down is stored when it is back', async () => {
  const { order_id } = await shop.createOrder();
  const body = captureOf({ order_id });
  const first = await remote.sendPartner(body, { eventId: 'beforetheend01' });
  assert.equal(first.body.status, 'processed');
  line.cut();
  assertAway(await remote.sendPartner(body, { eventId: 'beforetheend01' }));
  await line.mend();
  const repeat = await remote.sendPartner(body, { eventId: 'beforetheend01' });
  assert.deepEqual(repeat.body, { ...first.body, status: 'duplicate' });
});

test('when the database connection breaks in a burst, each delivery is either answered and stored, or 503', async () => {
  const orders = await Promise.all(Array.from({ length: 24 }, () => shop.createOrder()));
  const send = ({ order_id }: { order_id: string }) =>
    remote.sendPartner(captureOf({ order_id }, { id: `pay_${order_id}` }), { eventId: order_id });
  const burst = orders.map(send);
  await Promise.race(burst);
  line.cut();
  const replies = await Promise.all(burst);
  for (const [index, reply] of replies.entries()) {
    if (reply.status !== 200) assertAway(reply);
    else assert.equal(await enquireStatus(orders[index]?.order_id), 'completed');
  }
  await line.mend();
  for (const order of orders) {
    assert.equal((await send(order)).status, 200);
    assert.equal(await enquireStatus(order.order_id), 'completed');
  }
});

test("while the database is down the enquiry answers 503 with the contract's error body", async () => {
  const { order_id } = await shop.createOrder();
  const token = await shop.freshToken();
  line.cut();
  const reply = await remote.enquire({ order_id }, token);
  await line.mend();
  assertRefused(reply, 'SERVICE_UNAVAILABLE');
  assert.equal(reply.headers.get('retry-after'), '1');
  assert.equal((await remote.enquire({ order_id }, token)).status, 200);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function enquireStatus(order_id: string | undefined): Promise<string> {
  return (await shop.enquire({ order_id })).body.order.status;
}

function assertAway(reply: Reply): void {
  assert.equal(reply.status, 503, JSON.stringify(reply.body));
  assert.deepEqual(Object.keys(reply.body), ['status', 'error']);
  assert.equal(reply.body.status, 503);
  assert.match(reply.body.error, /try again/);
  assert.equal(reply.headers.get('retry-after'), '1');
  assert.ok(reply.headers.get('x-request-id'));
}

/** A second service on the shop's database, through a connection that the test can cut. */
async function startOver(port: number): Promise<Shop> {
  const { rows } = await shop.service.database.query<{ name: string }>({
    text: 'select current_database() as name',
  });
  const address = { ...clusterAddress(), host: '127.0.0.1', port, database: rows[0]?.name ?? '' };
  const database = openDatabase(address);
  const services = createServices({
    database,
    masterKeyHex: testMasterKeyHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 24 * 3600 },
  });
  const app = await buildApp({
    services,
    metrics: createMetrics(),
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  after(async () => {
    app.server.closeAllConnections();
    await app.close();
    await database.close();
  });
  const call: typeof shop.service.call = (path, options) => callService(baseUrl, path, options);
  return shopOf({ ...shop.service, baseUrl, call }, shop.account);
}

async function openLine() {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connectToCluster();
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.pipe(database).pipe(client);
  });
  const listen = async (on: number) => {
    server.listen(on, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const ownPort = await listen(0);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  after(cut);
  return { port: ownPort, cut, mend: () => listen(ownPort) };
}
