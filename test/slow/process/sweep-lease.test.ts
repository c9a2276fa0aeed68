/** One process sweeps: the one that holds the lease. Another takes over when it dies, hangs or ends. Contract 10.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, openDatabase } from '../../../src/postgres/database.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { startSweeps } from '../../../src/process/sweep-loop.ts';
import { listStepReports } from '../../../src/store/upkeep/background-steps.ts';
import { claimSweepLease, releaseSweepLease } from '../../../src/store/upkeep/sweep-lease.ts';
import { sweepSteps } from '../../../src/use-cases/upkeep/sweep.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { readSamples } from '../../support/metrics.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

test('of twenty claims at once, one gets the lease, and the others get it when it is released', async () => {
  const { database } = await createTestDatabase();
  const owners = Array.from({ length: 20 }, (_, index) => `owner ${index}`);
  const claimAll = () =>
    Promise.all(owners.map((owner) => claimSweepLease(database, owner, 600_000)));
  const first = await claimAll();
  assert.equal(first.filter((isHeld) => isHeld).length, 1);
  assert.deepEqual(await claimAll(), first, 'the owner extends it, and nobody else gets it');
  const holder = owners[first.indexOf(true)] ?? '';
  for (const other of owners) {
    if (other !== holder) await releaseSweepLease(database, other);
  }
  assert.deepEqual(await claimAll(), first, 'nobody releases the lease of another');
  await releaseSweepLease(database, holder);
  assert.equal((await claimAll()).filter((isHeld) => isHeld).length, 1);
});

test('a lease that was not extended in time goes to another owner', async () => {
  const { database } = await createTestDatabase();
  assert.equal(await claimSweepLease(database, 'hung', 1), true);
  await waitUntil('it has expired', () => claimSweepLease(database, 'next', 600_000));
  assert.equal(await claimSweepLease(database, 'hung', 600_000), false);
});

/** A service whose sweeps have connections of their own. */
async function createSweeper() {
  const { database, url } = await createTestDatabase();
  const maintenance = openDatabase({ connectionString: url }, { purpose: 'maintenance' });
  const services = createServices({
    database,
    maintenance,
    masterKeyHex: testMasterKeyHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  });
  return { database, maintenance, services };
}

test('a sweep whose lease is lost ends with the step that runs', async () => {
  const { database, maintenance, services } = await createSweeper();
  /** When the last claim that succeeded was sent. */
  const lastClaimAt = () => {
    const [loop] = services.backgroundReports.listLoops();
    return (loop?.lastSuccessAt?.getTime() ?? 0) - (loop?.lastDurationMs ?? 0);
  };
  const sweeps = await database.transaction(async (tx) => {
    // The first step cannot save its report, so the sweep hangs there.
    await tx.query({ text: 'lock table background_steps in share mode' });
    const started = await startSweeps(services);
    await database.query({
      text: `update sweep_lease set owner = 'another process', expires_at = now() + interval '1 hour'`,
    });
    const lostAt = Date.now();
    await waitUntil('the loss is noticed', () => lastClaimAt() > lostAt);
    return started;
  });
  await sweeps.stop();
  await maintenance.close();
  const steps = (await listStepReports(database)).map(({ step }) => step);
  assert.deepEqual(steps, ['unpark-known']);
  assert.equal(await ownerOf(database), 'another process');
});

test('a sweep that hangs does not keep the next one from starting', async () => {
  const { database, maintenance, services } = await createSweeper();
  const sweeps = await database.transaction(async (tx) => {
    await tx.query({ text: 'lock table background_steps in share mode' });
    const started = await startSweeps(services, { everyMs: 100, msMax: 3_000 });
    await waitUntil('two sweeps wait for the lock', async () => {
      const { rowCount } = await tx.query({
        text: `select from pg_locks where relation = 'background_steps'::regclass and not granted`,
      });
      return rowCount === 2;
    });
    return started;
  });
  await waitUntil('the second one is complete', () => hasSwept(database));
  await sweeps.stop();
  await maintenance.close();
});

test('another service sweeps soon after the one that sweeps was killed, suspended or ended', async () => {
  const { database, url } = await createTestDatabase();
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  const [one, other] = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);
  const holder = async (): Promise<ServiceProcess | undefined> => {
    const owner = await ownerOf(database);
    return [one, other].find(({ child }) => owner.includes(` ${child.pid} `));
  };
  await waitUntil('one of them sweeps', async () => (await holder()) !== undefined);
  const suspended = (await holder()) ?? assert.fail();
  const next = suspended === one ? other : one;

  suspended.child.kill('SIGSTOP');
  await forgetSweeps(database);
  await waitUntil('the other has the lease', async () => (await holder()) === next);
  await waitUntil('it sweeps', () => hasSwept(database));
  suspended.child.kill('SIGCONT');
  const resumedAt = Date.now() / 1000;
  await waitUntil('it has claimed again', async () => (await lastClaimOf(suspended)) > resumedAt);
  assert.equal(await holder(), next);

  await next.end('SIGKILL');
  await forgetSweeps(database);
  await waitUntil('the first has the lease again', async () => (await holder()) === suspended);
  await waitUntil('it sweeps', () => hasSwept(database));

  assert.equal(await suspended.end('SIGTERM'), 0);
  assert.equal(await claimSweepLease(database, 'next', 1), true, 'it was released');
});

async function ownerOf(database: Database): Promise<string> {
  const { rows } = await database.query<{ owner: string }>({
    text: 'select owner from sweep_lease',
  });
  return rows[0]?.owner ?? '';
}

/** In seconds, as its own metrics say. */
async function lastClaimOf(service: ServiceProcess): Promise<number> {
  const samples = readSamples((await service.call('/metrics')).body);
  return samples.get('background_step_last_success_timestamp_seconds{step="sweep-lease"}') ?? 0;
}

async function forgetSweeps(database: Database): Promise<void> {
  await database.query({ text: 'delete from background_steps' });
}

async function hasSwept(database: Database): Promise<boolean> {
  return (await listStepReports(database)).length === sweepSteps.length;
}
