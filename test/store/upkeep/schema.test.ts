/** Contract 10.1, checked in the catalog: the rules that let the schema run on PostgreSQL-compatible databases too. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { onOneServer } from '../../support/citus-cluster.ts';
import { dumpSchema } from '../../support/schema-dump.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database } = await createTestDatabase();
/** Tables of the service as a whole, without an account. */
const withoutAccount = [
  ...[
    'schema_migrations',
    'signing_keys',
    'sweep_cursors',
    'background_steps',
    'sweep_lease',
    'stored_counts',
  ],
  // People may belong to several accounts.
  'users',
  'passkeys',
  'invitations',
  'sessions',
  'passkey_challenges',
  'sign_in_failures',
];

test('every table has a primary key', onOneServer, async () => {
  const bare = await list(`
    select c.relname from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`);
  assert.deepEqual(bare, []);
});

test(
  'account_id is the first column of every primary key and every unique index',
  onOneServer,
  async () => {
    const keys = await list(`
    select t.relname || '.' || k.relname || ' ' || coalesce(a.attname, 'an expression')
      from pg_index i
      join pg_class t on t.oid = i.indrelid
      join pg_class k on k.oid = i.indexrelid
      left join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0]
     where t.relnamespace = 'public'::regnamespace and i.indisunique
       and t.relname <> all ('{${withoutAccount.join(',')}}')
     order by 1`);
    assert.ok(keys.includes('orders.orders_pkey account_id'), 'the catalog is read');
    assert.deepEqual(
      keys.filter((key) => !key.endsWith(' account_id')),
      [],
    );
  },
);

test('a row refers only to rows of its own account', onOneServer, async () => {
  const leads = await list(`
    select c.conname || ' ' || own.attname || ' to ' || other.attname
      from pg_constraint c
      join pg_attribute own on own.attrelid = c.conrelid and own.attnum = c.conkey[1]
      join pg_attribute other on other.attrelid = c.confrelid and other.attnum = c.confkey[1]
     where c.contype = 'f' and c.connamespace = 'public'::regnamespace`);
  assert.ok(leads.length > 0, 'the catalog is read');
  assert.deepEqual(
    leads.filter((lead) => !lead.endsWith(' account_id to account_id')),
    [],
  );
});

test('there are no triggers, no sequences and no functions', onOneServer, async () => {
  assert.deepEqual(await list('select tgname from pg_trigger where not tgisinternal'), []);
  assert.deepEqual(await list(`select relname from pg_class where relkind = 'S'`), []);
  assert.deepEqual(
    await list(`select proname from pg_proc where pronamespace = 'public'::regnamespace`),
    [],
  );
});

test('no constraint can be deferred', onOneServer, async () => {
  assert.deepEqual(await list('select conname from pg_constraint where condeferrable'), []);
});

test('amounts are bigint, and no column has a type that rounds', onOneServer, async () => {
  const columns = await list(`
    select table_name || '.' || column_name || ' ' || data_type
      from information_schema.columns where table_schema = 'public' order by 1`);
  const money = columns.filter((text) =>
    /[._](amount|tax|fee|charges|discount)(_\w+)? /.test(text),
  );
  assert.ok(money.includes('orders.total_amount bigint'), 'the catalog is read');
  assert.deepEqual(
    money.filter((text) => !text.endsWith(' bigint')),
    [],
  );
  assert.deepEqual(
    columns.filter((text) => / (real|double precision|numeric|money)$/.test(text)),
    [],
  );
});

test('the schema names no provider', onOneServer, async () => {
  const texts = await list(`
    select coalesce(column_name || coalesce(column_default, ''), '')
      from information_schema.columns where table_schema = 'public'
    union all
    select pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace`);
  assert.deepEqual(
    texts.filter((text) => /partner|gateway/.test(text)),
    [],
  );
});

test('docs/schema.sql is the schema that the migrations make', onOneServer, async () => {
  assert.equal(await readSchemaFile(), await dumpSchema(database), 'run "npm run schema"');
});

test(
  'docs/schema.sql makes that schema in an empty database, so it leaves nothing out',
  onOneServer,
  async () => {
    const { database: empty } = await createTestDatabase('template0');
    await empty.query({ text: await readSchemaFile() });
    assert.equal(await dumpSchema(empty), await dumpSchema(database));
  },
);

function readSchemaFile(): Promise<string> {
  return readFile(new URL('../../../docs/schema.sql', import.meta.url), 'utf8');
}

/** The first column of the result. */
async function list(text: string): Promise<string[]> {
  const { rows } = await database.query<Record<string, string>>({ text });
  return rows.map((row) => Object.values(row)[0] ?? '');
}
