/** A step of the sweep that fails stops no other, and operators see it. Contract 6.8, 10.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackgroundReports } from '../../../src/services/background-reports.ts';
import { listStepReports } from '../../../src/store/upkeep/background-steps.ts';
import { sweep, sweepSteps } from '../../../src/use-cases/upkeep/sweep.ts';
import { insertDeliveries } from '../../support/many-deliveries.ts';
import { readSamples } from '../../support/metrics.ts';
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
  const other = await service.createAccount();
  for (const state of ['parked', 'dead'] as const) {
    await insertDeliveries(database, other.accountId, state, 1, services.clock());
  }
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
  const samples = readSamples((await service.call('/metrics')).body);
  assert.equal(samples.get('background_step_failures_total{step="unpark-dead"}'), 2);
});

/** A real failure: statements on the table fail until it has its name again. */
async function hideTable(table: string): Promise<() => Promise<void>> {
  await database.query({ text: `alter table ${table} rename to ${table}_away` });
  return async () => {
    await database.query({ text: `alter table ${table}_away rename to ${table}` });
  };
}
