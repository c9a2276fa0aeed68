import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { createServices } from '../../src/process/create-services.ts';
import { findOrderByInvoice } from '../../src/store/orders/orders.ts';
import { listTransactionsOf } from '../../src/store/payments/transactions.ts';
import { migrate } from '../../src/store/upkeep/migrate.ts';
import { sealStored } from '../../src/use-cases/consumers/seal-stored.ts';
import { rebuildAll } from '../../src/use-cases/upkeep/rebuild-orders.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { migrateTo } from '../support/migrate-to.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { testMasterKeyHex } from '../support/test-service.ts';

/** Rows as an earlier version stored them, with migrations up to 0012. */
const rowsOf0012 = new URL('fixtures/rows-of-0012.jsonl', import.meta.url);

const { database } = await createTestDatabase('template0');
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  clock: () => new Date('2026-11-16T12:00:00Z'),
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 24 * 3600 },
});
await migrateTo(database, 12);
await insertRows();
const accountId = await findAccount();
await migrate(database);

test('verify reports the state that an earlier version stored', async () => {
  const { breaches } = await verifyInvariants(services);
  const orders = new Set(breaches.map(({ where }) => where.split('-')[0]));
  const invoices = ['UNTARGETED', 'PARTS', 'AGAIN', 'RELEASED'];
  for (const invoice of invoices) {
    const order = await findOrderByInvoice(database, accountId, invoice);
    assert.ok(orders.has(order?.orderId ?? ''), invoice);
  }
  const plain = await findOrderByInvoice(database, accountId, 'PLAIN');
  assert.ok(!orders.has(plain?.orderId ?? ''));
});

test('a rebuild from the inbox corrects all of it', async () => {
  const idOf = async (invoice: string) => (await transactionsOf(invoice))[0]?.transactionId;
  const idBefore = await idOf('UNTARGETED');
  const rebuilt = await rebuildAll(services, commandLine);
  // The plain order too: its notices get the total that the provider had refunded.
  assert.equal(rebuilt.rebuilt.length, 7);
  assert.deepEqual(await statesOf('UNTARGETED'), ['completed', 'payment succeeded 11800']);
  assert.deepEqual(await statesOf('PARTS'), ['completed', 'payment succeeded 11800']);
  assert.deepEqual(await statesOf('AGAIN'), ['completed', 'payment succeeded 11800']);
  assert.deepEqual(await statesOf('VOIDED'), ['pending', 'payment reversed 11800']);
  assert.deepEqual(await statesOf('RELEASED'), ['pending', 'payment reversed 11800']);
  assert.deepEqual(await statesOf('REFUND-VOIDED'), [
    'completed',
    'payment succeeded 11800',
    'refund failed 1800',
  ]);
  assert.deepEqual(await statesOf('PLAIN'), [
    'completed',
    'payment succeeded 11800',
    'refund succeeded 1800',
  ]);
  assert.equal(await idOf('UNTARGETED'), idBefore, 'the authorisation keeps its id');
});

test('afterwards verify reports nothing, and a second rebuild changes nothing', async () => {
  assert.deepEqual((await verifyInvariants(services)).breaches, []);
  const again = await rebuildAll(services, commandLine);
  assert.deepEqual(again, {
    rebuilt: [],
    unchanged: 7,
    not_rebuilt_body_pruned: 0,
    failed: [],
  });
});

test('a database with orders is scanned once for personal data in clear', async () => {
  const place = async () =>
    (await database.query({ text: `select 1 from sweep_cursors where name = 'personal-data'` }))
      .rows;
  assert.equal((await place()).length, 1);
  assert.equal(await sealStored(services, () => false), 0);
  assert.deepEqual(await place(), []);
});

async function insertRows(): Promise<void> {
  const lines = (await readFile(rowsOf0012, 'utf8')).trim().split('\n');
  for (const line of lines) {
    const { table, row } = JSON.parse(line) as { table: string; row: unknown };
    await database.query({
      text: `insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`,
      values: [JSON.stringify(row)],
    });
  }
}

async function findAccount(): Promise<string> {
  const { rows } = await database.query<{ account_id: string }>({
    text: 'select account_id from accounts',
  });
  return rows[0]?.account_id ?? '';
}

async function transactionsOf(invoice: string) {
  const order = await findOrderByInvoice(database, accountId, invoice);
  assert.ok(order);
  const listed = await listTransactionsOf(database, [order]);
  return listed
    .map(({ transaction }) => transaction)
    .sort((a, b) => ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1));
}

async function statesOf(invoice: string): Promise<string[]> {
  const order = await findOrderByInvoice(database, accountId, invoice);
  const transactions = await transactionsOf(invoice);
  return [
    order?.savedStatus ?? '',
    ...transactions.map(({ type, status, amount }) => `${type} ${status} ${amount}`).sort(),
  ];
}
