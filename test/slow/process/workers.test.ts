import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRunning, listChildren } from '../../../tools/harness/processes.ts';
import { readServerPid } from '../../../tools/harness/server-pid.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { readSamples } from '../../support/metrics.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { createTemporaryFolder, startServiceProcess } from '../../support/service-process.ts';

const dataDir = await createTemporaryFolder();
const env = { DATA_DIR: dataDir, WORKERS: '2' };
const service = await startServiceProcess(env);

test('two workers serve one port, and a token of one is accepted by the other', async () => {
  assert.equal((await listWorkers()).length, 2);
  const { body } = await service.call('/api/v3/generate-token', {
    body: { access_key: readPrinted('access_key'), access_secret: readPrinted('access_secret') },
  });
  const order = orderBody();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () =>
      service.call('/api/v3/create-order', { token: body.token, body: order }),
    ),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(replies.map((reply) => reply.body.order_id)).size, 1);
});

test('counters from the database appear once on the metrics page of several workers', async () => {
  const shop = {
    accountId: readPrinted('account_id'),
    partnerWebhookSecret: readPrinted('partner_webhook_secret'),
  };
  const payment = partnerPayment({ notes: { invoice_id: 'not there yet' } });
  await sendPartner(service, shop, partnerEvent('payment.captured', { payment }));
  const samples = readSamples((await service.call('/metrics')).body);
  assert.equal(samples.get('database_up'), 1);
  assert.equal(samples.get('inbox_deliveries{state="parked"}'), 1);
});

test('the metrics page adds up all workers, whichever of them answers', async () => {
  for (let calls = 0; calls < 40; calls += 1) await service.call('/healthz');
  await waitUntil('all calls are counted', async () => (await countCalls('/healthz')) === 40, 5);
  const pages = await Promise.all(Array.from({ length: 6 }, () => countCalls('/healthz')));
  assert.deepEqual(pages, [40, 40, 40, 40, 40, 40]);
});

test('a worker that is killed is replaced, and the other continues', async () => {
  const [victim = 0, other = 0] = await listWorkers();
  await replace(victim);
  await waitUntil('the new one serves', () => countListening() === 3);
  assert.ok((await listWorkers()).includes(other));
  assert.match(service.output(), /a worker ended and is replaced/);
  assert.equal((await service.call('/readyz')).status, 200);
});

test('reading the metrics page while a worker is being replaced does no harm', async () => {
  const [victim = 0] = await listWorkers();
  await replace(victim);
  const { status } = await service.call('/metrics');
  assert.ok([200, 503].includes(status), `answered ${status}`);
  await waitUntil('the new one serves', () => countListening() === 4);
  assert.equal((await service.call('/readyz')).status, 200);
});

test('a worker that exits as soon as it starts is replaced after a second, not immediately', async () => {
  const listening = countListening();
  const before = await listWorkers();
  const [first = 0] = before;
  await replace(first);
  const second = (await listWorkers()).find((pid) => !before.includes(pid)) ?? 0;
  const killedAt = performance.now();
  await replace(second);
  assert.ok(performance.now() - killedAt > 900);
  await waitUntil('the new one serves', () => countListening() > listening);
});

test('SIGTERM ends all workers and the database server', async () => {
  const pids = [...(await listWorkers()), await readServerPid(dataDir)];
  assert.equal(await service.end('SIGTERM'), 0);
  for (const pid of pids) assert.ok(!(await isRunning(pid)), `process ${pid} still runs`);
});

test('workers end when the first process is killed, and the next start serves', async () => {
  const killed = await startServiceProcess(env);
  const workers = await listWorkers(killed.pid);
  assert.equal(workers.length, 2);
  await killed.end('SIGKILL');
  await waitUntil('the workers have ended', async () => {
    const alive = await Promise.all(workers.map(isRunning));
    return !alive.includes(true);
  });

  const next = await startServiceProcess({ ...env, WORKERS: '1' });

  assert.equal((await next.call('/readyz')).status, 200);
});

/** The demo account's, from the first-start message. */
function readPrinted(name: string): string {
  return new RegExp(`^  ${name} +(\\S+)$`, 'm').exec(service.output())?.[1] ?? '';
}

async function listWorkers(of = service.pid): Promise<number[]> {
  const children = await listChildren(of);
  return children.filter(({ command }) => command.includes('src/main.ts')).map(({ pid }) => pid);
}

/** Kills a worker and waits until another one starts. */
async function replace(victim: number): Promise<void> {
  process.kill(victim, 'SIGKILL');
  await waitUntil('it is replaced', async () => {
    const workers = await listWorkers();
    return workers.length === 2 && !workers.includes(victim);
  });
}

function countListening(): number {
  return service.output().split('Server listening').length - 1;
}

async function countCalls(route: string): Promise<number> {
  const { body } = await service.call('/metrics');
  const lines = (body as string)
    .split('\n')
    .filter((line) => line.startsWith('http_request_duration_seconds_count'))
    .filter((line) => line.includes(`route="${route}"`));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
