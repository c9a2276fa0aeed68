/**
 * The upgrade of two processes behind a proxy: the schema is extended first, then they are restarted one after the other.
 * A proxy sends a request to the next process only if no connection could be made; no other request may fail.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServices } from '../../src/create-services.ts';
import { verifyInvariants } from '../../src/use-cases/maintenance/verify-invariants.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, signPartner } from '../support/deliveries.ts';
import { keepConnection, type Outcome, type PostCall, post } from '../support/kept-connection.ts';
import { issueMerchantToken } from '../support/merchant-token.ts';
import { orderBody } from '../support/order-bodies.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { createTestAccount } from '../support/test-account.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

const { database, url } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const account = await createTestAccount(services, {});
const { token } = await issueMerchantToken(services, account.accountId);
const [port, otherPort] = [await findFreePort(), await findFreePort()];
const clientCount = 16;

test('two processes are restarted one after the other on an extended schema: no request fails', async () => {
  const processes = [await start(port), await start(otherPort)];
  const load = startLoad();
  await load.answeredBy(port, otherPort);
  await extendSchema();
  await load.answeredBy(port, otherPort);
  for (const service of processes) {
    assert.equal(await service.end('SIGTERM'), 0);
    await start(service.port);
    await load.answeredBy(port, otherPort);
  }
  assert.deepEqual(await load.stop(), []);
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
});

function start(at: number): Promise<ServiceProcess> {
  return startServiceProcess({
    DATABASE_URL: url,
    MASTER_KEY: testMasterKeyHex,
    PORT: String(at),
    MIGRATE: 'no',
  });
}

/** What a migration of the next release may do: docs/decisions/0053. */
async function extendSchema(): Promise<void> {
  const { rows } = await database.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables
            where table_schema = 'public' order by table_name`,
  });
  await database.transaction(async (tx) => {
    for (const { name } of rows) {
      await tx.query({ text: `alter table ${name} add column of_next_release text default 'new'` });
    }
  });
}

/** Clients that create an order, report its payment and enquire, each over kept connections. */
function startLoad() {
  const answers: number[] = [];
  const failures: unknown[] = [];
  let isOver = false;
  const clients = Array.from({ length: clientCount }, async (_, index) => {
    const send = openClient(index % 2 === 0 ? [port, otherPort] : [otherPort, port], answers);
    const succeed = async (call: Call) => {
      const outcome = await send(call);
      if (outcome.kind === 'answered' && outcome.status === 200) return outcome.body;
      failures.push({ path: call.path, ...outcome });
      return undefined;
    };
    while (!isOver && failures.length === 0) {
      const created = await succeed(apiCall('create-order', orderBody()));
      if (created === undefined) return;
      const { order_id } = JSON.parse(created);
      await succeed(webhookCall(order_id));
      await succeed(apiCall('transaction-enquiry', { order_id }));
    }
  });
  return {
    /** Resolves when each of these processes has answered every client once more. */
    answeredBy: async (...ports: number[]) => {
      const from = answers.length;
      const isEnough = (wanted: number) =>
        answers.slice(from).filter((answered) => answered === wanted).length >= clientCount;
      await waitUntil('both processes answer', () => failures.length > 0 || ports.every(isEnough));
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      return failures;
    },
  };
}

type Call = Omit<PostCall, 'port'>;

/** Like a proxy that prefers a process, and goes to the other one if no connection could be made. */
function openClient(ports: readonly [number, number], answers: number[]) {
  const ways = ports.map((at) => ({ at, agent: keepConnection() }));
  return async (call: Call): Promise<Outcome> => {
    let outcome: Outcome = { kind: 'refused', code: undefined };
    for (const { at, agent } of ways) {
      outcome = await post(agent, { ...call, port: at });
      if (outcome.kind === 'answered') answers.push(at);
      if (outcome.kind !== 'refused') break;
    }
    return outcome;
  };
}

function apiCall(name: string, fields: unknown): Call {
  const headers = { authorization: `Bearer ${token}` };
  return { path: `/api/v3/${name}`, headers, body: JSON.stringify(fields) };
}

function webhookCall(orderId: string): Call {
  const payment = partnerPayment({ notes: { svc_order_id: orderId } });
  const body = JSON.stringify(partnerEvent('payment.captured', { payment }));
  return {
    path: `/api/v3/webhooks/partner/${account.accountId}`,
    headers: {
      'x-razorpay-event-id': `evt_${orderId}`,
      'x-razorpay-signature': signPartner(body, account.partnerWebhookSecret),
    },
    body,
  };
}
