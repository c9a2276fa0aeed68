/** Processes of the previous release serve while a migration runs, and after it: docs/decisions/0053-upgrades.md. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { findHazards } from '../../support/migration-hazards.ts';

const folder = new URL('../../../migrations/', import.meta.url);

test('migrations add, and change nothing that the previous release uses', async () => {
  for (const name of await readdir(folder)) {
    assert.deepEqual(findHazards(await readFile(new URL(name, folder), 'utf8')), [], name);
  }
});

const broken = 'breaks the previous release';
const slow = 'stops writes';

const examples: readonly (readonly [string, readonly string[]])[] = [
  ['create table notes (id text not null); create index notes_by_id on notes (id)', []],
  [
    'create table notes (id text); alter table notes add constraint notes_pkey primary key (id)',
    [],
  ],
  ['alter table orders add column note text', []],
  [`alter table orders add column note text not null default ''`, []],
  [`alter table orders add column a text not null default '', add column b text`, []],
  ['alter table orders add column a text not null, add column b text default 1', [broken]],
  ['alter table orders add column note text not null', [broken]],
  ['alter table orders alter column note set not null', [broken]],
  ['alter table orders drop column note', [broken]],
  ['alter table orders add column a text, drop column b', [broken]],
  ['alter table orders rename column note to remark', [broken]],
  ['alter table orders rename to carts', [broken]],
  ['alter index orders_pkey rename to carts_pkey', [broken]],
  ['ALTER TABLE orders\n  ALTER COLUMN note TYPE jsonb', [broken, slow]],
  ['alter table orders add constraint orders_note_check check (note is not null)', [broken]],
  ['drop table orders', [broken]],
  ['drop index orders_by_time', [broken]],
  ['create index orders_by_note on orders (note)', [slow]],
  ['create unique index orders_note_key on orders (account_id, note)', [broken, slow]],
  ['alter table orders add column made_at timestamptz default now()', [slow]],
  ['update orders set note = null', [slow]],
  [`do $$ begin execute 'update orders set note = null;'; end $$`, [slow]],
  [`comment on table orders is 'drop table; update'`, []],
  ['-- Unused since 0.3.0: only reports read it.\nalter table orders drop column note', []],
  ['-- Unused.\nalter table orders drop column note', [broken]],
  [
    '-- Stops writes: a second per million orders.\ncreate index orders_by_note on orders (note)',
    [],
  ],
  ['-- Unused since 0.3.0: x.\ncreate table notes (id text); drop table orders', [broken]],
];
for (const [text, expected] of examples) {
  test(`${text.replaceAll(/\s+/g, ' ')}: ${expected.join(', ') || 'may be applied'}`, () => {
    assert.deepEqual(
      findHazards(text).map(({ why }) => why),
      expected,
    );
  });
}
