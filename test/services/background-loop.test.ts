import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/domain/errors.ts';
import { startLoop } from '../../src/process/background-loop.ts';
import { createBackgroundReports } from '../../src/services/background-reports.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';

test('a loop whose database is away is logged only when it is late', async () => {
  const logged: unknown[] = [];
  const reports = createBackgroundReports((error) => logged.push(error));
  const fail = () => Promise.reject(new ServiceError('SERVICE_UNAVAILABLE'));
  const failuresOf = (index: number) => reports.listLoops()[index]?.failures ?? 0;

  const away = startLoop('away', reports, fail);
  await waitUntil('it has failed twice', () => failuresOf(0) >= 2);
  await away.stop();
  assert.deepEqual(logged, []);

  const late = startLoop('late', reports, fail, { lateMs: 1 });
  await waitUntil('it has failed twice', () => failuresOf(1) >= 2);
  await late.stop();
  assert.equal(logged.length, 1, 'at most once in ten minutes');
});

test('a loop that fails for another reason is logged at once', async () => {
  const logged: unknown[] = [];
  const reports = createBackgroundReports((error) => logged.push(error));
  const error = new Error('a defect');
  const loop = startLoop('broken', reports, () => Promise.reject(error));
  await waitUntil('it has failed', () => logged.length > 0);
  await loop.stop();
  assert.deepEqual(logged, [error]);
});
