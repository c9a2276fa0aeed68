/** Starting and stopping background work: a failed start leaves no timers, and /readyz reports it. Contract 1.7, 1.8. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../../src/postgres/database.ts';
import { startBackground } from '../../../src/process/background.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import { prepareBackground } from '../../../src/process/prepare-background.ts';
import { listStepReports } from '../../../src/store/upkeep/background-steps.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database, url } = await createTestDatabase();
const maintenance = openDatabase({ connectionString: url }, { purpose: 'maintenance' });
after(() => maintenance.close());
const settings = { publicUrl: 'http://service.test', orderLapseSeconds: 3600 };
const parts = { database, maintenance, masterKeyHex: testMasterKeyHex, settings };
const lines: string[] = [];
const log = createLog('info', { write: (line) => lines.push(line) });

test('the sweep of a process that ends stops within its step and starts no other', async () => {
  const services = createServices(parts);
  let checks = 0;
  await sweep(services, () => {
    // Before the first step, then once for each of its two walks.
    checks += 1;
    return checks > 2;
  });
  assert.equal(checks, 4, 'one more before the next step');
  const steps = await listStepReports(database);
  assert.deepEqual(
    steps.map(({ step, lastFailureAt }) => [step, lastFailureAt]),
    [['unpark-known', null]],
  );
});

test('a start that fails leaves no timers behind', async () => {
  const services = createServices(parts);
  await (await startBackground(services, log)).stop();
  await database.query({ text: 'alter table sweep_lease rename to lease_away' });
  const countTimers = () =>
    process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = countTimers();
  for (let tries = 0; tries < 5; tries += 1) {
    await assert.rejects(startBackground(services, log), /sweep_lease/);
  }
  await database.query({ text: 'alter table lease_away rename to sweep_lease' });
  assert.ok(countTimers() <= before + 2, `${before} timers, then ${countTimers()}`);
});

test('a database that serves requests and refuses the background for long makes it missing', async (t) => {
  // No connection can be opened there, as when the server has none left.
  const unreachable = openDatabase({
    host: '127.0.0.1',
    port: 1,
    user: 'nobody',
    database: 'none',
  });
  const services = createServices({ ...parts, maintenance: unreachable });
  const databaseWait = { done: Promise.resolve(), isDone: () => true };
  const background = prepareBackground({ services, databaseWait }, log, { awayMsMax: 1_500 });
  t.after(async () => {
    await background.stop();
    await unreachable.close();
  });
  lines.length = 0;
  background.start();
  await waitUntil('the start has failed for long', background.isMissing);
  assert.match(lines.join(''), /has connections left/);
});
