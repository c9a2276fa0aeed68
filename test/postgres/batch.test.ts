import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import { createBatcher } from '../../src/postgres/batch.ts';

test('a single entry runs immediately in a batch of its own', async () => {
  const { batches, add } = batcher();
  assert.equal(await add(1), 'done 1');
  assert.equal(await add(2), 'done 2');
  assert.deepEqual(batches, [[1], [2]]);
});

test('entries that arrive together run in one batch, and each gets its own result', async () => {
  const { batches, add } = batcher();
  assert.deepEqual(await Promise.all([add(1), add(2), add(3)]), ['done 1', 'done 2', 'done 3']);
  assert.deepEqual(batches, [[1, 2, 3]]);
});

test('entries that arrive while a batch runs wait for it and then run in one batch', async () => {
  const gate = Promise.withResolvers<void>();
  const { batches, add } = batcher({ concurrentMax: 1, before: () => gate.promise });
  const first = add(1);
  await untilRun(batches);
  const others = [add(2), add(3), add(4)];
  gate.resolve();
  await Promise.all([first, ...others]);
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
});

test('a batch never exceeds its size limit, and the rest follows in order', async () => {
  const { batches, add } = batcher({ sizeMax: 2, concurrentMax: 1 });
  await Promise.all([1, 2, 3, 4, 5].map(add));
  assert.deepEqual(batches, [[1, 2], [3, 4], [5]]);
});

test('entries behind a slow batch run beside it, within the limit of concurrent batches', async () => {
  const gate = Promise.withResolvers<void>();
  const { batches, add } = batcher({ sizeMax: 1, concurrentMax: 3, before: () => gate.promise });
  const first = add(1);
  await untilRun(batches);
  // Some arrive before the batch counts as slow, some after.
  const early = [add(2)];
  await untilRun(batches, 2);
  const late = [add(3), add(4), add(5)];
  await untilRun(batches, 3);
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(batches, [[1], [2], [3]]);
  gate.resolve();
  await Promise.all([first, ...early, ...late]);
  assert.deepEqual(batches.slice(3), [[4], [5]]);
});

test('a batch that is large enough runs beside the current one, a smaller one waits', async () => {
  const gate = Promise.withResolvers<void>();
  const before = () => gate.promise;
  const { batches, add } = batcher({
    concurrentMax: 3,
    parallelMin: 3,
    patienceMs: 60_000,
    before,
  });
  const first = add(1);
  await untilRun(batches);
  const beside = [add(2), add(3), add(4)];
  await untilRun(batches, 2);
  const last = add(5);
  gate.resolve();
  await Promise.all([first, ...beside, last]);
  assert.deepEqual(batches, [[1], [2, 3, 4], [5]]);
});

test('an entry that fails does not fail the others of its batch', async () => {
  const { batches, add } = batcher({ refuses: 2 });
  const outcomes = await Promise.allSettled([add(1), add(2), add(3)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(batches, [[1, 2, 3], [1], [2], [3]]);
});

test('an unavailable database fails all entries of a batch after one try', async () => {
  const away = new ServiceError('SERVICE_UNAVAILABLE');
  const { batches, add } = batcher({ before: () => Promise.reject(away) });
  const outcomes = await Promise.allSettled([add(1), add(2)]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason),
    [away, away],
  );
  assert.equal(batches.length, 1);
});

test('a full queue sheds what comes on top, and serves what it has', async () => {
  const gate = Promise.withResolvers<void>();
  const { batches, add } = batcher({ concurrentMax: 1, queueMax: 2, before: () => gate.promise });
  const first = add(1);
  await untilRun(batches);
  const waiting = [add(2), add(3)];
  await assert.rejects(add(4), { code: 'SERVICE_UNAVAILABLE' });
  gate.resolve();
  assert.deepEqual(await Promise.all([first, ...waiting]), ['done 1', 'done 2', 'done 3']);
});

function batcher({
  sizeMax = 100,
  concurrentMax = 2,
  parallelMin = 100,
  patienceMs = 1,
  queueMax = 1_000,
  refuses = undefined as number | undefined,
  before = async () => {},
} = {}) {
  const batches: number[][] = [];
  const add = createBatcher<number, string>({
    sizeMax,
    concurrentMax,
    parallelMin,
    patienceMs,
    queueMax,
    run: async (items) => {
      batches.push([...items]);
      await before();
      if (refuses !== undefined && items.includes(refuses)) throw new Error('a bad one');
      return items.map((item) => `done ${item}`);
    },
  });
  return { batches, add };
}

async function untilRun(batches: readonly unknown[], count = 1): Promise<void> {
  while (batches.length < count) await new Promise((resolve) => setImmediate(resolve));
}
