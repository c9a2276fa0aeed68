import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Fault } from '../../simulator/faults.ts';
import { randomOf } from '../../simulator/random.ts';
import { openFaultPlan, scenarioOf } from '../support/faulty-provider/fault-plan.ts';
import { openPostOffice } from '../support/faulty-provider/post-office.ts';
import { openProxy } from '../support/faulty-provider/proxy.ts';
import { openVirtualSchedule } from '../support/faulty-provider/virtual-schedule.ts';

const names = Array.from({ length: 400 }, (_, number) => `order ${number}`);
const planOf = (seed: number) => openFaultPlan(seed, (reference) => reference.split('/')[0]);

/** The faults of the first calls for each order: a refund whose call is repeated, and reads. */
function faultsOf(seed: number): (Fault | undefined)[] {
  const { faultOf } = planOf(seed);
  return names.flatMap((name) => [
    ...Array.from({ length: 5 }, () =>
      faultOf({ provider: 'partner', operation: 'start-refund', references: [`${name}/1`] }),
    ),
    faultOf({ provider: 'partner', operation: 'fetch', references: [`${name}/1`] }),
  ]);
}

test('a seed decides the faults, every fault occurs, and none does after the end', () => {
  assert.deepEqual(faultsOf(1), faultsOf(1));
  assert.notDeepEqual(faultsOf(1), faultsOf(2));
  assert.equal(new Set(faultsOf(1)).size, 9, 'eight faults and none');
  const plan = planOf(1);
  const lags = names.map((name) => plan.lagMsOf([name]));
  assert.ok(lags.some((lag) => lag === 0) && lags.some((lag) => lag > 0));
  plan.end();
  assert.ok(names.every((name) => plan.lagMsOf([name]) === 0));
  const call = { provider: 'partner', operation: 'start-refund' } as const;
  assert.ok(names.every((name) => plan.faultOf({ ...call, references: [name] }) === undefined));
});

test('a repeat is refused only after answers were lost, but for calls that are refused at once', () => {
  const { faultOf } = planOf(3);
  for (const name of names) {
    const call = { provider: 'partner', operation: 'start-refund', references: [name] } as const;
    const faults = Array.from({ length: 8 }, () => faultOf(call));
    const refused = faults.indexOf('refused');
    if (refused <= 0) continue;
    const before = faults.slice(0, refused);
    assert.ok(before.every((fault) => fault === 'answer-lost' || fault === 'timed-out'));
  }
});

test('the scenarios of a seed are the same, and every behaviour of a refund occurs', () => {
  const scenarios = names.map((name) => scenarioOf(5, name));
  assert.deepEqual(
    scenarios,
    names.map((name) => scenarioOf(5, name)),
  );
  assert.equal(new Set(scenarios.map(({ behaviour }) => behaviour?.refund)).size, 4);
});

test('a closed proxy refuses connections, and an open one leads to the provider again', async (t) => {
  const proxy = await openProxy(await serve(t, (_request, reply) => reply.end('here')));
  t.after(proxy.close);
  const call = async () => (await fetch(proxy.url)).text();
  assert.equal(await call(), 'here');
  await proxy.close();
  await assert.rejects(call(), ({ cause }: Error) => /ECONNREFUSED/.test(String(cause)));
  await proxy.open();
  assert.equal(await call(), 'here');
});

test('work waits for the clock of the test, and what is due first is done first', async () => {
  let now = 0;
  const schedule = openVirtualSchedule(() => now);
  const done: string[] = [];
  for (const [name, ms] of [
    ['second', 2_000],
    ['first', 1_000],
    ['later', 9_000],
  ] as const) {
    schedule.run(async () => {
      await schedule.wait(ms);
      done.push(name);
      await schedule.wait(500);
      done.push(`after ${name}`);
    });
  }
  await schedule.runDue();
  assert.deepEqual(done, []);
  now = 3_000;
  await schedule.runDue();
  assert.deepEqual(done, ['first', 'second']);
  now = 3_500;
  await schedule.runDue();
  assert.deepEqual(done, ['first', 'second', 'after first', 'after second']);
  await schedule.stop();
});

test('webhooks are lost, repeated and late, and those that no poll makes up for are never lost', async (t) => {
  const received: string[] = [];
  const url = await serve(t, (request, reply) => {
    received.push(String(request.url));
    // The first webhook of all is refused once.
    reply.writeHead(received.length === 1 ? 503 : 200).end();
  });
  let now = 0;
  const random = randomOf(1, 'post office');
  const office = openPostOffice(
    () => now,
    () => random,
  );
  const webhook = (label: string, number: number) => ({
    id: label,
    label,
    url: `${url}/${label}/${number}`,
    body: '{}',
    answerWithinMs: 5_000,
    ladderSeconds: [],
    headers: () => ({}),
  });
  const sent = Array.from({ length: 100 }, (_, number) => number);
  office.post(
    '',
    sent.map((number) => webhook('PAYMENT', number)),
    { name: 'happy' },
  );
  office.post(
    '',
    sent.map((number) => webhook('VOID_PAYMENT', number)),
    { name: 'happy' },
  );
  await office.deliverDue();
  const atOnce = received.length;
  now = 24 * 3_600_000;
  await office.deliverDue();
  now += 60_000;
  await office.deliverDue();
  assert.ok(atOnce > 50 && received.length - atOnce > 50, 'some at once, some late');
  const countOf = (label: string) =>
    new Set(received.filter((path) => path.startsWith(`/${label}/`))).size;
  assert.equal(countOf('VOID_PAYMENT'), 100);
  assert.ok(countOf('PAYMENT') > 60 && countOf('PAYMENT') < 95, 'some are lost');
  assert.ok(received.length > countOf('PAYMENT') + 100, 'some are repeated');
});

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
