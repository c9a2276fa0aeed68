/** The sweep: a step that fails stops no other, its work is bounded, and operators see what it did. Contract 6.8, 10.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Statement } from '../../../src/postgres/database.ts';
import { createBackgroundReports } from '../../../src/services/background-reports.ts';
import { listStepReports } from '../../../src/store/background-steps.ts';
import { sweep, sweepSteps } from '../../../src/use-cases/maintenance/sweep.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../../support/deliveries.ts';
import { insertDeliveries } from '../../support/many-deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { database, services } = service;
const account = await service.createAccount();

test('a step that fails is reported and logged once, and the others still run', async () => {
  const order = await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody(),
  });
  await database.query({
    text: 'update orders set lapses_at = $1 where order_id = $2',
    values: [services.clock(), order.body.order_id],
  });
  const logged: unknown[] = [];
  const backgroundReports = createBackgroundReports((_error, about) => logged.push(about));
  const mend = await hideTable('delivery_references');
  await sweep({ ...services, backgroundReports });
  await sweep({ ...services, backgroundReports });
  await mend();
  const { rows } = await database.query<{ status: string }>({
    text: 'select status from orders where order_id = $1',
    values: [order.body.order_id],
  });
  assert.deepEqual(rows, [{ status: 'lapsed' }]);
  const reports = new Map((await listStepReports(database)).map((report) => [report.step, report]));
  assert.deepEqual([...reports.keys()].sort(), sweepSteps.map(({ name }) => name).sort());
  for (const [step, { failures, lastSuccessAt, lastFailureAt }] of reports) {
    const isBroken = ['unpark-known', 'unpark-dead'].includes(step);
    assert.equal(failures, isBroken ? 2 : 0, step);
    assert.equal(lastSuccessAt === null, isBroken, step);
    assert.equal(lastFailureAt === null, !isBroken, step);
  }
  assert.deepEqual(logged, [
    { background_step: 'unpark-known', times: '1' },
    { background_step: 'unpark-dead', times: '1' },
  ]);
  await sweep(services);
  assert.equal(
    (await listStepReports(database)).every(({ lastSuccessAt }) => lastSuccessAt),
    true,
  );
});

test('many dead and parked deliveries cost a sweep bounded pages, found by indexes', async () => {
  await insertDeliveries(database, account.accountId, 'dead', 20_000, services.clock());
  await insertDeliveries(database, account.accountId, 'parked', 20_000, services.clock());
  const { counted, walks, mostRows } = countStatements(database);
  for (const { run } of sweepSteps) await run({ ...services, database: counted }, () => false);
  // Twenty full pages for each of the two states, and the page that finds the end.
  assert.equal(walks.length, 43);
  assert.ok(mostRows() <= 1_000, `${mostRows()} rows`);
  await database.query({ text: 'analyze' });
  const [walk] = walks;
  assert.ok(walk);
  for (const plan of [await explain(walk, []), await explain(walk, plannerDefaults)]) {
    // The tables of orders have a row or two here, so that the planner may read them as a whole.
    assert.doesNotMatch(plan, /Seq Scan on deliver|Hash Join|Merge Join|hashed/);
    assert.match(plan, /deliveries_by_state/);
    assert.match(plan, /delivery_references_of_delivery/);
  }
  const { rowCount } = await database.query({
    text: `select from deliveries where state in ('dead', 'parked') and tries = 16`,
  });
  assert.equal(rowCount, 40_000, 'none was made due');
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
  await sweep(services);
  const { rows } = await database.query<{ state: string }>({
    text: 'select state from deliveries where delivery_id = $1',
    values: [reply.body.delivery_id],
  });
  assert.deepEqual(rows, [{ state: 'processed' }]);
});

/** A real failure: statements on the table fail until it has its name again. */
async function hideTable(table: string): Promise<() => Promise<void>> {
  await database.query({ text: `alter table ${table} rename to ${table}_away` });
  return async () => {
    await database.query({ text: `alter table ${table}_away rename to ${table}` });
  };
}

/** The statements that walk deliveries, and the largest number of rows that one statement returned or changed. */
function countStatements(counted: Database) {
  const walks: Statement[] = [];
  let rows = 0;
  const query: Database['query'] = async (statement) => {
    if (statement.text.startsWith('with page as')) walks.push(statement);
    const result = await counted.query(statement);
    rows = Math.max(rows, result.rowCount ?? 0);
    return result as never;
  };
  return { counted: { ...counted, query }, walks, mostRows: () => rows };
}

const plannerDefaults = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];

async function explain({ text, values = [] }: Statement, on: readonly string[]): Promise<string> {
  return database.transaction(async (tx) => {
    for (const setting of on) await tx.query({ text: `set local ${setting} = on` });
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}
