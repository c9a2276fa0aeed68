import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder } from '../../src/postgres/statement.ts';
import { createTestDatabase } from '../support/test-database.ts';

test('statements run in the order of the list, in one pipeline, and the results keep that order', async () => {
  const { database } = await createTestDatabase();
  const rows = await database.transaction(async (tx) => {
    const begun: string[] = [];
    const run = (name: string, text: string) => async () => {
      begun.push(name);
      return (await tx.query<{ n: number }>({ name, text })).rows.map(({ n }) => n);
    };
    const answers = inOrder([
      run('one', 'create temporary table steps as select 1 as n'),
      run('two', 'insert into steps values (2) returning n'),
      run('three', 'select n from steps order by n'),
    ]);
    assert.deepEqual(begun, ['one', 'two', 'three'], 'all are started before the first answer');
    return answers;
  });
  assert.deepEqual(rows, [[], [2], [1, 2]]);
});

test('a part that fails fails the whole list', async () => {
  const fail = async () => {
    throw new Error('failed');
  };
  await assert.rejects(inOrder([async () => 1, fail, async () => 3]), /failed/);
});
