/** The statements of src/store are recorded with their places, and what breaks a rule is found. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findOrder } from '../../src/store/orders/orders.ts';
import { readSnapshot } from '../../src/store/snapshot.ts';
import { checkStatements } from '../support/check-statements.ts';
import { isCitusRun } from '../support/citus-cluster.ts';
import type { RecordedStatement } from '../support/record-statements.ts';
import { folderVariable } from '../support/run-variables.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'statements-'));
after(() => rm(folder, { recursive: true }));

test('a statement is recorded with its place in src/store, alone and in a transaction', {
  skip: isCitusRun && 'nothing is recorded on a Citus cluster',
}, async () => {
  const own = `select 'sent by a test'`;
  await database.query({ text: own });
  await database.transaction((tx) => tx.query({ text: own }));
  await findOrder(database, 'account', 'order');
  await readSnapshot(database, (tx) => findOrder(tx, 'account', 'order'));
  const recorded = await readRecorded(`${process.env[folderVariable]}/${process.pid}`);
  assert.ok(!recorded.some(({ text }) => text === own));
  const [order, snapshot] = [
    'from orders where account_id = $1 and order_id = $2',
    'set transaction',
  ].map((part) => recorded.find(({ text }) => text.includes(part)));
  assert.match(order?.sites.at(-1) ?? '', /^orders\/orders\.ts:\d+$/);
  assert.match(snapshot?.sites[0] ?? '', /^snapshot\.ts:\d+$/);
});

test('a statement that breaks a rule is found with its place, once for all processes', async () => {
  const text = 'delete from orders';
  await record('1', [{ text, sites: ['orders/orders.ts:1'] }]);
  await record('2', [
    { text, sites: ['orders/orders.ts:1', 'orders/batches.ts:2'] },
    { text: 'select * from orders where account_id = $1', sites: ['orders/orders.ts:3'] },
    { text: 'set local lock_timeout = 5', sites: ['orders/orders.ts:4'] },
    { text: 'select * from nowhere', sites: ['orders/orders.ts:5'] },
    // A migration, of a table that is gone.
    { text: 'update nowhere set name = $1', sites: ['upkeep/migrate.ts:1'] },
  ]);
  assert.deepEqual(await check({ isWholeRun: false }), [
    `src/store/orders/orders.ts:1, src/store/orders/batches.ts:2 deletes from orders without one "account_id = $n" for orders:\n${text}`,
    'src/store/orders/orders.ts:5 cannot be analysed (relation "nowhere" does not exist):\nselect * from nowhere',
  ]);
});

test('after a run of all tests, a statement that none of them sent is found', async () => {
  const source = await readFile(
    new URL('../../src/store/orders/orders.ts', import.meta.url),
    'utf8',
  );
  const line = source.split('\n').findIndex((code) => code.includes('.query<')) + 1;
  const unsentOf = (findings: readonly string[]) =>
    findings.includes(`no test sends the statement of src/store/orders/orders.ts:${line}`);
  await record('1', [{ text: 'select 1', sites: ['orders/orders.ts:100000'] }]);
  assert.equal(unsentOf(await check({ isWholeRun: true })), true);
  await record('1', [{ text: 'select 1', sites: [`orders/orders.ts:${line}`] }]);
  assert.equal(unsentOf(await check({ isWholeRun: true })), false);
});

async function record(name: string, statements: readonly RecordedStatement[]): Promise<void> {
  const lines = statements.map((statement) => `${JSON.stringify(statement)}\n`);
  await writeFile(join(folder, name), lines.join(''));
}

function check(options: { readonly isWholeRun: boolean }): Promise<string[]> {
  return checkStatements(folder, { connectionString: url }, options);
}

async function readRecorded(path: string): Promise<RecordedStatement[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
