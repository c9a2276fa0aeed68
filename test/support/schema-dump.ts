/**
 * Dumps the schema of a database as SQL: each table with its constraints and indexes. Running the SQL creates the same
 * schema.
 */
import type { Database } from '../../src/postgres/database.ts';

/** The purpose of each table, in the order of the file: a table follows the tables that it references. */
const purposes: Readonly<Record<string, string>> = {
  accounts: 'A merchant: settings, limits, payment modes and the provider APIs it uses.',
  account_secrets:
    'Secrets of an account, sealed under the master key. During a rotation several of one kind are valid.',
  account_alternate_currencies:
    'Orders in from_currency are processed in to_currency. The rate is decimal text, so it is never rounded.',
  account_logos: 'The logo that an account shows to its consumers, at most one.',
  signing_keys:
    'Names of the keys that sign tokens. The keys themselves are derived from the master key.',
  orders: 'Orders. Amounts are minor units of the currency beside them.',
  transactions:
    'Payments and refunds of an order. Their state is computed from the notices of the provider.',
  history: 'Append-only: what changed in an order, when, and which delivery or call changed it.',
  deliveries: 'The inbox: every verified webhook, stored before it is answered.',
  delivery_references: 'The references that a parked delivery waits for.',
  provider_orders:
    "A provider's own id of an order, learned from the first delivery that carries it.",
  payment_links: 'Each opens the checkout of one order for whoever has its link.',
  endpoints: 'URLs of shops that events are sent to.',
  events:
    'Webhooks to merchants, numbered for each order. The body is what is sent; it is null after it was pruned.',
  checkouts: 'Checkouts that consumers opened, and how they ended.',
  event_attempts: 'The result of each attempt to send an event.',
  refund_requests:
    'The refund made under each refund_request_id. The key ends the race of two refunds with one id.',
  idempotency_keys: 'Requests with an Idempotency-Key and their answers, stored for 24 hours.',
  review_resolutions: 'Flags that an operator has closed.',
  audit:
    'Append-only: who did what to which object, when, from where and why. Only notes may be changed.',
  users: 'Users of the dashboard. Whoever belongs to no account is deleted.',
  passkeys: 'The passkeys of users, by the id that the authenticator gave them.',
  memberships: 'The users of each account, with their roles.',
  invitations: 'One-time links to join an account, or to set new credentials after a reset.',
  sessions: 'Sessions of users. The secret is in a cookie only.',
  passkey_challenges: 'What passkeys have to sign, each once.',
  sign_in_failures:
    'Failed sign-ins of an e-mail address or of an address on the network, and until when more are refused.',
  consumer_emails: 'The consumers that use an e-mail address, learned from orders for search.',
  disputes:
    'The state of each dispute of a payment, as the notices in the row of its order give it.',
  figures:
    'Counts and sums over the orders that were created in each half hour, for the overview of the dashboard.',
  sweep_cursors: 'Cursors of the background sweeps: how far each has come.',
  sweep_lease: 'Which process sweeps, and until when.',
  background_steps: 'What each step of the sweep did last.',
  stored_counts: 'Counts of many rows, taken by the sweep for /metrics.',
  schema_migrations: 'The migrations that were applied. Row 0 is the lock of the migrator.',
};

const header = `-- Today's schema, for reading. The migrations make it; "npm run schema" writes this file, and a test compares the two.
`;

export async function dumpSchema(database: Database): Promise<string> {
  await refuseUnknown(database);
  const tables = [];
  for (const [table, purpose] of Object.entries(purposes)) {
    tables.push(await describeTable(database, table, purpose));
  }
  return [header, ...tables].join('\n');
}

/** Fails for kinds of objects that the dump does not support, which would otherwise be missing from the file. */
async function refuseUnknown(database: Database): Promise<void> {
  const found = await listTexts(
    database,
    `select case relkind when 'r' then '' else 'relation of kind ' || relkind::text || ': ' end || relname
       from pg_class where relnamespace = 'public'::regnamespace and relkind <> 'i'
     union all
     select 'type: ' || typname from pg_type
      where typnamespace = 'public'::regnamespace and typtype <> 'c' and typcategory <> 'A'
     order by 1`,
  );
  const known = Object.keys(purposes);
  const unknown = found.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`schema-dump.ts does not describe ${unknown.join(', ')}`);
}

async function describeTable(database: Database, table: string, purpose: string): Promise<string> {
  const read = (text: string) => listTexts(database, text, table);
  const lines = [...(await read(columnsOfTable)), ...(await read(constraintsOfTable)).map(plain)];
  const [settings] = await read(settingsOfTable);
  const indexes = (await read(indexesOfTable)).map(plain);
  return [
    `-- ${purpose}`,
    `create table ${table} (\n  ${lines.map((line) => line.trimEnd()).join(',\n  ')}\n)${settings};`,
    ...indexes.map((text) => `${text.replace(' where ', '\n  where ')};`),
    ...(await read(commentsOfTable)).map((text) => `${text};`),
    '',
  ].join('\n');
}

const columnsOfTable = `
  select rpad(name, max(length(name)) over () + 2) || rpad(type, max(length(type)) over () + 2)
      || concat_ws(' ', not_null, 'default ' || default_value)
    from (select a.attnum, quote_ident(a.attname) as name,
                 replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz')
                   || coalesce(' collate ' || quote_ident(c.collname), '') as type,
                 case when a.attnotnull then 'not null' end as not_null,
                 pg_get_expr(d.adbin, d.adrelid, true) as default_value
            from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            left join pg_collation c on c.oid = a.attcollation and c.collname <> 'default'
           where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped) columns
   order by attnum`;

/** Primary key, unique keys, foreign keys and checks. Not-null constraints are part of the columns. */
const constraintsOfTable = `
  select 'constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid, true)
    from pg_constraint where conrelid = $1::regclass and contype <> 'n'
   order by position(contype::text in 'pufc'), conname`;

const settingsOfTable = `
  select coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '')
    from pg_class where oid = $1::regclass`;

/** Indexes that do not belong to a constraint. */
const indexesOfTable = `
  select pg_get_indexdef(indexrelid, 0, true) from pg_index
   where indrelid = $1::regclass
     and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
   order by indexrelid::regclass::text`;

const commentsOfTable = `
  select format('comment on %s is %L',
                case objsubid when 0 then 'table ' || $1 else 'column ' || $1 || '.' || quote_ident(attname) end,
                description)
    from pg_description left join pg_attribute on attrelid = objoid and attnum = objsubid
   where classoid = 'pg_class'::regclass and objoid = $1::regclass
   order by objsubid`;

/** In the style of the migrations: lower case outside of quotes, `in` for `= any`, no redundant casts. */
function plain(sql: string): string {
  return sql
    .replaceAll(/'[^']*'|[^']+/g, (part) => (part.startsWith("'") ? part : part.toLowerCase()))
    .replaceAll(/('[^']*')::text\b(?!\[)/g, '$1')
    .replaceAll(/= any \(array\[([^\]]*)\]\)/g, 'in ($1)')
    .replaceAll(/<> all \(array\[([^\]]*)\]\)/g, 'not in ($1)')
    .replace(' using btree', '');
}

async function listTexts(database: Database, text: string, table?: string): Promise<string[]> {
  const values = table === undefined ? [] : [table];
  const { rows } = await database.query<Record<string, string>>({ text, values });
  return rows.map((row) => Object.values(row)[0] ?? '');
}
