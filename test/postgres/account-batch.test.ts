/** Batches over several accounts while a worker of Citus is away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import { createAccountBatcher } from '../../src/postgres/account-batch.ts';
import { WorkerUnavailable } from '../../src/postgres/error-classes.ts';
import { databaseLimits } from '../../src/postgres/limits.ts';

test('the accounts of other workers are served in the batch that finds a worker away', async () => {
  const { add, batches } = batcher(['away']);
  const outcomes = await Promise.allSettled([add('here'), add('away'), add('there')]);
  assert.deepEqual(statusesOf(outcomes), ['fulfilled', 'rejected', 'fulfilled']);
  assert.deepEqual(batches, [['here', 'away', 'there'], ['here'], ['away'], ['there']]);
});

test('an account whose worker is away joins no batch and is refused at once, until it tries again', async () => {
  const { add, batches, pass } = batcher(['away']);
  await assert.rejects(add('away'), { code: 'SERVICE_UNAVAILABLE' });
  await Promise.allSettled([add('here'), add('away')]);
  assert.deepEqual(batches, [['away'], ['here']]);
  pass(databaseLimits.workerTrialPauseMs);
  await Promise.allSettled([add('here'), add('away'), add('away')]);
  assert.deepEqual(batches.slice(2).toSorted(), [['away'], ['here']]);
});

test('an account is served in batches again once its worker is back', async () => {
  const { add, batches, pass, away } = batcher(['away']);
  await assert.rejects(add('away'), { code: 'SERVICE_UNAVAILABLE' });
  away.clear();
  pass(databaseLimits.workerTrialPauseMs);
  assert.equal(await add('away'), 'done away');
  await Promise.all([add('here'), add('away')]);
  assert.deepEqual(batches.at(-1), ['here', 'away']);
});

test('only so many trials run at once', async () => {
  const accounts = Array.from(
    { length: databaseLimits.workerTrialsMax + 2 },
    (_, index) => `a${index}`,
  );
  const { add, batches, pass } = batcher(accounts);
  await Promise.allSettled(accounts.map(add));
  const known = batches.length;
  pass(databaseLimits.workerTrialPauseMs);
  const outcomes = await Promise.allSettled(accounts.map(add));
  assert.ok(outcomes.every(({ status }) => status === 'rejected'));
  assert.equal(batches.length - known, databaseLimits.workerTrialsMax);
});

test('a database that is away as a whole refuses the batch, and every later batch tries it', async () => {
  const { add, batches, fail } = batcher([]);
  fail(new ServiceError('SERVICE_UNAVAILABLE'));
  const outcomes = await Promise.allSettled([add('here'), add('there')]);
  assert.deepEqual(statusesOf(outcomes), ['rejected', 'rejected']);
  assert.equal(batches.length, 1);
  fail(undefined);
  assert.equal(await add('here'), 'done here');
});

function batcher(accountsAway: readonly string[]) {
  const away = new Set(accountsAway);
  const batches: string[][] = [];
  let atMs = 0;
  let failure: Error | undefined;
  const add = createAccountBatcher<string, string>({
    sizeMax: 100,
    concurrentMax: 2,
    parallelMin: 100,
    patienceMs: 1,
    queueMax: 1_000,
    accountOf: (accountId) => accountId,
    now: () => atMs,
    run: async (items) => {
      batches.push([...items]);
      if (failure) throw failure;
      if (items.some((item) => away.has(item))) throw new WorkerUnavailable(new Error('refused'));
      return items.map((item) => `done ${item}`);
    },
  });
  const pass = (milliseconds: number) => {
    atMs += milliseconds;
  };
  const fail = (error: Error | undefined) => {
    failure = error;
  };
  return { add, batches, away, pass, fail };
}

function statusesOf(outcomes: readonly PromiseSettledResult<unknown>[]): string[] {
  return outcomes.map(({ status }) => status);
}
