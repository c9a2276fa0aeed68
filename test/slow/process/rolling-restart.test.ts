/**
 * The upgrade of two processes behind a proxy: the schema is extended first, then they are restarted one after the other.
 * A proxy sends a request to the next process only if no connection could be made; no other request may fail.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createServices } from '../../../src/process/create-services.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { withoutKeepAlive } from '../../../tools/harness/service.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { noHaproxy, startHaproxy } from '../../support/haproxy.ts';
import { keepConnection, type Outcome, post } from '../../support/kept-connection.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { type RestartCall, startRestartLoad } from '../../support/restart-load.ts';
import {
  launchService,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { createTestAccount } from '../../support/test-account.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database, url } = await createTestDatabase();
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
});
const account = await createTestAccount(services, {});
const { token } = await issueMerchantToken(services, account.accountId);
const merchant = { ...account, token };
const clientCount = 16;

test('two processes are restarted one after the other on an extended schema: no request fails', async () => {
  const [port, otherPort] = [await findFreePort(), await findFreePort()];
  const answers: number[] = [];
  const processes = [await start('127.0.0.1', port), await start('127.0.0.1', otherPort)];
  const load = startRestartLoad({
    merchant,
    clientCount,
    openClient: (index) =>
      openClient(index % 2 === 0 ? [port, otherPort] : [otherPort, port], answers),
  });
  /** Resolves when each of the processes has answered every client once more. */
  const answeredByBoth = async () => {
    const from = answers.length;
    const isEnough = (wanted: number) =>
      answers.slice(from).filter((answered) => answered === wanted).length >= clientCount;
    const isOver = () => load.hasFailed() || [port, otherPort].every(isEnough);
    await waitUntil('both processes answer', isOver);
  };
  await answeredByBoth();
  await extendSchema();
  await answeredByBoth();
  for (const service of processes) {
    assert.equal(await service.end('SIGTERM'), 0);
    await start('127.0.0.1', service.port);
    await answeredByBoth();
  }
  assert.deepEqual(await load.stop(), []);
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
});

test('the same behind the proxy of compose.cluster.yaml, which goes on connecting to a process that stops', {
  skip: noHaproxy,
}, async () => {
  const addresses = { 'service-1': '127.0.0.2', 'service-2': '127.0.0.3' };
  const servicePort = await findFreePort();
  const processes = await Promise.all(
    Object.values(addresses).map((host) => start(host, servicePort)),
  );
  const proxyPort = Number(new URL(await startHaproxy({ servicePort, addresses })).port);
  const agents = Array.from({ length: clientCount }, keepConnection);
  const send = (index: number, { headers, ...call }: RestartCall) => {
    // Half of the clients connect anew for each request, as providers do, and the proxy then does the same.
    const ends = index % 2 === 0 ? {} : withoutKeepAlive;
    const agent = agents[index] ?? keepConnection();
    return post(agent, { ...call, headers: { ...headers, ...ends }, port: proxyPort });
  };
  await waitUntil('the proxy finds a service', async () => {
    const outcome = await send(0, { path: '/api/v3/none', headers: {}, body: '{}' });
    return outcome.kind === 'answered' && outcome.status === 404;
  });
  const load = startRestartLoad({
    merchant,
    clientCount,
    openClient: (index) => (call) => send(index, call),
  });
  await load.goesOn(clientCount);
  for (const [index, service] of processes.entries()) {
    assert.equal(await service.end('SIGTERM'), 0);
    await load.goesOn(clientCount);
    await start(`127.0.0.${index + 2}`, servicePort);
    await load.goesOn(10 * clientCount);
  }
  assert.deepEqual(await load.stop(), []);
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
});

test('a request to a process that starts is refused or answered, and never reset', async () => {
  const port = await findFreePort();
  const { hasExited } = launchService(environment('127.0.0.1', port));
  const outcomes = new Set<string>();
  // Several at a time, so that hardly a millisecond passes without an attempt.
  const callers = Array.from({ length: 8 }, async () => {
    while (!outcomes.has('answered') && !hasExited()) {
      const call = { port, path: '/', headers: withoutKeepAlive, body: '{}' };
      const outcome = await post(keepConnection(), call);
      outcomes.add(outcome.kind === 'answered' ? 'answered' : `${outcome.kind} ${outcome.code}`);
    }
  });
  await Promise.all(callers);
  assert.deepEqual(outcomes, new Set(['refused ECONNREFUSED', 'answered']));
});

function start(host: string, port: number): Promise<ServiceProcess> {
  return startServiceProcess(environment(host, port));
}

function environment(host: string, port: number) {
  return {
    DATABASE_URL: url,
    MASTER_KEY: testMasterKeyHex,
    HOST: host,
    PORT: String(port),
    MIGRATE: 'no',
  };
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

/** Like a proxy that prefers a process, and goes to the other one if no connection could be made. */
function openClient(ports: readonly [number, number], answers: number[]) {
  const ways = ports.map((at) => ({ at, agent: keepConnection() }));
  return async (call: RestartCall): Promise<Outcome> => {
    let outcome: Outcome = { kind: 'refused', code: undefined };
    for (const { at, agent } of ways) {
      outcome = await post(agent, { ...call, port: at });
      if (outcome.kind === 'answered') answers.push(at);
      if (outcome.kind !== 'refused') break;
    }
    return outcome;
  };
}
