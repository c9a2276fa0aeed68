/** The sweep: a step that fails stops no other, its work is bounded, and operators see what it did. Contract 6.8, 10.3. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Database,
  openDatabase,
  type Queryable,
  type Statement,
} from '../../../src/postgres/database.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import { prepareBackground } from '../../../src/process/prepare-background.ts';
import { serve } from '../../../src/process/serve.ts';
import { listStepReports } from '../../../src/store/upkeep/background-steps.ts';
import { listLateSteps, sweep, sweepSteps } from '../../../src/use-cases/upkeep/sweep.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { onOneServer } from '../../support/citus-cluster.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { insertDeliveries } from '../../support/many-deliveries.ts';
import { scrape } from '../../support/metrics.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { callService, startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const service = await startTestService();
const { database, services } = service;
const account = await service.createAccount();
/** For the test that starts background work. */
const own = await createTestDatabase();

test('many dead and parked deliveries cost a sweep bounded pages', async () => {
  await insertDeliveries(database, account.accountId, 'dead', 20_000, services.clock());
  await insertDeliveries(database, account.accountId, 'parked', 20_000, services.clock());
  const { counted, pages, lookUps, mostRows } = countStatements(database);
  for (const { run } of sweepSteps) await run({ ...services, database: counted }, () => false);
  // Twenty full pages for each of the two states, and the page that finds the end.
  assert.equal(pages.length, 43);
  assert.equal(lookUps.length, 40);
  assert.ok(mostRows() <= 1_000, `${mostRows()} rows`);
  const { rowCount } = await database.query({
    text: `select account_id from deliveries where state in ('dead', 'parked') and tries = 16`,
  });
  assert.equal(rowCount, 40_000, 'none was made due');
});

test('the sweep finds dead and parked deliveries by indexes', onOneServer, async () => {
  const { counted, pages, lookUps } = countStatements(database);
  for (const { run } of sweepSteps) await run({ ...services, database: counted }, () => false);
  await database.query({ text: 'analyze' });
  const [[page], [lookUp]] = [pages, lookUps];
  assert.ok(page && lookUp);
  for (const on of [[], plannerDefaults]) {
    assert.match(await explain(page, on), /deliveries_by_state/);
    const plan = await explain(lookUp, on);
    // The tables of orders have a row or two here, so that the planner may read them as a whole.
    assert.doesNotMatch(plan, /Seq Scan on deliver|Hash Join|Merge Join|hashed/);
    assert.match(plan, /delivery_references_of_delivery/);
  }
});

test('a step whose time is over continues in the next sweep, and reports what is left', async () => {
  const step = sweepSteps.find(({ name }) => name === 'unpark-dead');
  const timeFor = (pages: number) => {
    let checks = 0;
    return () => {
      checks += 1;
      return checks > pages;
    };
  };
  assert.equal(await step?.run(services, timeFor(5)), 15_000);
  assert.equal(await step?.run(services, timeFor(5)), 10_000);
  assert.equal(await step?.run(services, () => false), 0);
});

test('a delivery among many others is applied when its order appeared unnoticed', async () => {
  const payment = partnerPayment({ notes: { invoice_id: 'AMONG-MANY' } });
  const reply = await sendPartner(service, account, partnerEvent('payment.captured', { payment }));
  await database.query({
    text: `update deliveries set state = 'dead', tries = 16, next_try_at = null, finished_at = $2
            where delivery_id = $1`,
    values: [reply.body.delivery_id, services.clock()],
  });
  const { body } = await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody(),
  });
  await database.query({
    text: `update orders set invoice_id = 'AMONG-MANY' where order_id = $1`,
    values: [body.order_id],
  });
  await sweepAll();
  const { rows } = await database.query<{ state: string }>({
    text: 'select state from deliveries where delivery_id = $1',
    values: [reply.body.delivery_id],
  });
  assert.deepEqual(rows, [{ state: 'processed' }]);
});

test('every step of the sweep is on the metrics page, and so is a loop of this process', async () => {
  await sweepAll();
  const samples = await scrape(service);
  for (const { name } of sweepSteps) {
    const at = samples.get(`background_step_last_success_timestamp_seconds{step="${name}"}`) ?? 0;
    assert.ok(Math.abs(at - services.clock().getTime() / 1000) < 60, `${name} ${at}`);
    assert.ok((samples.get(`background_step_duration_seconds{step="${name}"}`) ?? -1) >= 0, name);
    assert.equal(samples.get(`background_step_backlog{step="${name}"}`), 0, name);
  }
  assert.equal(samples.get('background_step_failures_total{step="prune-keys"}'), 0);

  services.backgroundReports.addLoop(() => ({
    step: 'poll-due',
    lastSuccessAt: new Date(5_000),
    lastFailureAt: null,
    lastDurationMs: 250,
    failures: 3,
    backlog: 7,
  }));
  const withLoop = await scrape(service);
  const read = (metric: string) => withLoop.get(`background_step_${metric}{step="poll-due"}`);
  assert.equal(read('last_success_timestamp_seconds'), 5);
  assert.equal(read('duration_seconds'), 0.25);
  assert.equal(read('failures_total'), 3);
  assert.equal(read('backlog'), 7);
  assert.deepEqual(await listLateSteps(services), ['poll-due']);
});

test('counts stay true beyond the limit of a scrape', async () => {
  const exact = await countDeliveries();
  assert.ok((exact.get('dead') ?? 0) >= 20_000);
  const samples = await scrape(service);
  for (const state of ['dead', 'parked', 'needs_review', 'received']) {
    assert.equal(samples.get(`inbox_deliveries{state="${state}"}`), exact.get(state) ?? 0, state);
  }
  const countedAt = samples.get('stored_counts_timestamp_seconds') ?? 0;
  assert.ok(Math.abs(countedAt - services.clock().getTime() / 1000) < 60, String(countedAt));
});

test('open transactions are counted by age beyond the limit of a scrape', async () => {
  await insertOpenPayments(12_000);
  await sweep(services);
  const samples = await scrape(service);
  assert.equal(samples.get('transactions_open{type="payment",age="under_10m"}'), 6_000);
  assert.equal(samples.get('transactions_open{type="payment",age="over_10d"}'), 6_000);
});

test('readiness reports background work that cannot start, and the start is tried again', async (t) => {
  await own.database.query({ text: 'alter table sweep_lease rename to lease_away' });
  const maintenance = openDatabase({ connectionString: own.url }, { purpose: 'maintenance' });
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const bootstrapped = {
    services: createServices({
      database: own.database,
      maintenance,
      masterKeyHex: testMasterKeyHex,
      settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
    }),
    databaseWait: { done: Promise.resolve(), isDone: () => true },
  };
  const background = prepareBackground(bootstrapped, log);
  const port = await findFreePort();
  const { isMissing: isBackgroundMissing } = background;
  const address = { host: '127.0.0.1', port };
  const { app } = await serve(address, bootstrapped, log, {
    listMissing: () => (isBackgroundMissing() ? ['background'] : []),
  });
  t.after(async () => {
    await background.stop();
    await app.close();
    await maintenance.close();
  });
  const ready = () => callService(`http://127.0.0.1:${port}`, '/readyz');
  assert.deepEqual((await ready()).body, { status: 'ready' });

  background.start();
  await waitUntil('the start has failed', isBackgroundMissing);
  const missing = await ready();
  assert.equal(missing.status, 503);
  assert.deepEqual(missing.body, { status: 'not ready', missing: ['background'] });
  const advice = lines.filter((line) => line.includes('may read and write the table sweep_lease'));
  assert.equal(advice.length, 1, lines.join(''));

  await own.database.query({ text: 'alter table lease_away rename to sweep_lease' });
  await waitUntil('the background runs', async () => (await ready()).status === 200, 60);
  await waitUntil(
    'the first sweep is done',
    async () => {
      return (await listStepReports(own.database)).length === sweepSteps.length;
    },
    60,
  );
  assert.deepEqual((await ready()).body, { status: 'ready' });
  await own.database.query({
    text: `update background_steps set last_success_at = now() - interval '6 minutes'
            where step in ('expire-dead', 'prune-keys')`,
  });
  const late = await ready();
  assert.equal(late.status, 200);
  assert.deepEqual(late.body, { status: 'ready', late: ['expire-dead', 'prune-keys'] });
});

/** Sweeps until nothing is left: on a slow machine the time of a step may end before its work. */
async function sweepAll(): Promise<void> {
  await waitUntil('a sweep leaves nothing', async () => {
    await sweep(services);
    return (await listStepReports(database)).every(({ backlog }) => backlog === 0);
  });
}

async function countDeliveries(): Promise<Map<string, number>> {
  const { rows } = await database.query<{ state: string; count: number }>({
    text: 'select state, count(*) as count from deliveries group by state',
  });
  return new Map(rows.map(({ state, count }) => [state, count]));
}

/** Half of them new, half of them old. */
async function insertOpenPayments(count: number): Promise<void> {
  await database.query({
    text: `insert into transactions (account_id, transaction_id, order_id, type, provider, status, fields,
                                     flags, notices, started_at)
           select $1, 'o_open-' || n, 'o_open', 'payment', 'partner', 'pending', '{}', '{}', '[]',
                  $3::timestamptz - (n % 2) * interval '11 days'
             from generate_series(1, $2::integer) n`,
    values: [account.accountId, count, services.clock()],
  });
}

/** The statements that walk deliveries, and the largest number of rows that one statement returned or changed. */
function countStatements(database: Database) {
  const pages: Statement[] = [];
  const lookUps: Statement[] = [];
  let rows = 0;
  const watch = (connection: Queryable): Queryable['query'] => {
    return async (statement) => {
      if (statement.name === 'list-known-deliveries') lookUps.push(statement);
      if (/delivery_id\) > \(\$1, \$2\)\s+order by/.test(statement.text)) pages.push(statement);
      const result = await connection.query(statement);
      rows = Math.max(rows, result.rowCount ?? 0);
      return result as never;
    };
  };
  const counted: Database = {
    ...database,
    query: watch(database),
    pipelined: (work) =>
      database.pipelined((connection) => work({ query: watch(connection) })) as never,
  };
  return { counted, pages, lookUps, mostRows: () => rows };
}

const plannerDefaults = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

async function explain({ text, values = [] }: Statement, on: readonly string[]): Promise<string> {
  return database.transaction(async (tx) => {
    for (const setting of on) await tx.query({ text: `set local ${setting} = on` });
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}
