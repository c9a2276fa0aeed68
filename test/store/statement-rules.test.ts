/**
 * The rules for statements find what a cluster could not run, and nothing else. After every test run they judge all
 * statements of src/store that it sent; see docs/decisions/0056.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openAnalyser } from '../support/statement-facts.ts';
import { findBrokenRules } from '../support/statement-rules.ts';
import { readTree } from '../support/statement-tree.ts';
import { createTestDatabase } from '../support/test-database.ts';

const opening = createTestDatabase().then(({ url }) => openAnalyser({ connectionString: url }));
// Before the database is dropped.
after(async () => (await opening).close());
const { analyse, facts } = await opening;

async function brokenBy(text: string): Promise<string[]> {
  const tree = await analyse(text);
  assert.ok(tree, text);
  return findBrokenRules(tree, facts);
}

/** Each example with the sentences about it; a statement that may run has none. */
async function assertRules(
  examples: Readonly<Record<string, string | readonly string[]>>,
): Promise<void> {
  const expected = Object.entries(examples).map(([text, broken]) => [text, [broken].flat()]);
  const found = [];
  for (const text of Object.keys(examples)) found.push([text, await brokenBy(text)]);
  assert.deepEqual(found, expected);
}

const none: readonly string[] = [];

test('a lock names one account', () =>
  assertRules({
    'select * from orders where account_id = $1 and order_id = any($2::text[]) for update': none,
    'select * from orders o where $1 = o.account_id for update of o': none,
    'select * from orders where order_id = $1 for update':
      'locks orders without one "account_id = $n" for orders',
    // Every account of a list is not one account.
    'select * from orders where account_id = any($1::text[]) for update':
      'locks orders without one "account_id = $n" for orders',
    'select * from orders where account_id = $1 or order_id = $2 for update':
      'locks orders without one "account_id = $n" for orders',
    'select * from orders where not account_id = $1 for update':
      'locks orders without one "account_id = $n" for orders',
    'select * from orders where (account_id, order_id) > ($1, $2) for share':
      'locks orders without one "account_id = $n" for orders',
    'select * from orders where (account_id, order_id) = ($1, $2) for update': none,
    [`select o.* from unnest($1::text[], $2::text[]) as row (account_id, order_id)
        join orders o using (account_id, order_id)
       order by account_id, order_id for update of o`]:
      'locks orders without one "account_id = $n" for orders',
    // The lock of a row that no account owns.
    "select * from sweep_cursors where name = 'overdue' for update": none,
  }));

test('an update, an upsert and a delete name one account', () =>
  assertRules({
    [`update orders o set status = row.status from unnest($2::text[], $3::text[]) as row (id, status)
       where o.account_id = $1 and o.order_id = row.id`]: none,
    [`update orders o set status = row.status
        from unnest($1::text[], $2::text[], $3::text[]) as row (account_id, order_id, status)
       where o.account_id = row.account_id and o.order_id = row.order_id`]:
      'updates orders without one "account_id = $n" for orders',
    'delete from idempotency_keys where created_at < $1':
      'deletes from idempotency_keys without one "account_id = $n" for idempotency_keys',
    'delete from idempotency_keys where account_id = $1 and created_at < $2': none,
    [`insert into account_logos (account_id, digest, media_type, bytes) values ($1, $2, $3, $4)
      on conflict (account_id) do update set digest = excluded.digest`]: none,
    [`insert into account_logos (account_id, digest, media_type, bytes)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
      on conflict (account_id) do update set digest = excluded.digest`]:
      'upserts into account_logos without one "account_id = $n" for account_logos',
    "update sweep_cursors set order_id = $1 where name = 'overdue'": none,
  }));

test('tables are joined within one account', () =>
  assertRules({
    [`select * from orders o join transactions t on t.account_id = o.account_id
                                                and t.order_id = o.order_id
       where o.account_id = $1`]: none,
    'select * from orders join transactions using (account_id, order_id) where account_id = $1':
      none,
    [`select * from orders o join transactions t using (order_id)
       where o.account_id = $1 and t.account_id = $1`]: none,
    [`select * from orders o join transactions t using (order_id)
       where o.account_id = $1 and t.account_id = $2`]:
      'combines orders, transactions without one "account_id = $n" for orders, transactions',
    'select * from orders o join transactions t using (order_id) where o.account_id = $1':
      'combines orders, transactions without one "account_id = $n" for transactions',
    'select * from orders join transactions using (account_id, order_id) limit 10':
      'combines orders, transactions without one "account_id = $n" for orders, transactions',
    // Each account's own rows, but of all accounts.
    [`select e.account_id from endpoints e
       where exists (select from events d where d.account_id = e.account_id)`]:
      'combines endpoints, events without one "account_id = $n" for endpoints, events',
    [`select o.* from unnest($1::text[], $2::text[]) as row (account_id, order_id)
        join orders o using (account_id, order_id)`]:
      'joins orders with rows of parameters without one "account_id = $n" for orders',
    [`select o.* from unnest($2::text[]) as row (order_id)
        join orders o on o.account_id = $1 and o.order_id = row.order_id`]: none,
  }));

test('the condition of an outer join binds the side whose rows it leaves out', () =>
  assertRules({
    [`select * from orders o left join transactions t
          on t.account_id = o.account_id and t.order_id = o.order_id
       where o.account_id = $1`]: none,
    [`select * from orders o left join transactions t
          on t.account_id = o.account_id and o.account_id = $1`]:
      'combines orders, transactions without one "account_id = $n" for orders, transactions',
    [`select * from orders o left join transactions t
          on t.account_id = $1 and t.account_id = o.account_id`]:
      'combines orders, transactions without one "account_id = $n" for orders',
  }));

test('what is known of an account reaches subqueries, and comes out of them', () =>
  assertRules({
    [`select *, (select max(position) from history h where h.account_id = o.account_id)
        from orders o where o.account_id = $1`]: none,
    [`select * from (select account_id, order_id from orders) o
        join transactions t using (account_id, order_id) where account_id = $1`]: none,
    [`select * from (select * from orders where account_id = $1 order by order_id limit 10) o
        join transactions t using (account_id, order_id)`]: none,
    // The limit takes its rows from all accounts, before the condition can remove any.
    [`select * from (select * from orders order by order_id limit 10) o
        join transactions t using (account_id, order_id) where o.account_id = $1`]:
      'combines transactions, orders without one "account_id = $n" for orders',
    [`with due as (select account_id, order_id from orders where account_id = $1 for update)
      update orders o set status = $2 from due
       where o.account_id = due.account_id and o.order_id = due.order_id`]: none,
    [`with due as (select account_id, order_id from orders limit 10 for update skip locked)
      update orders o set status = $1 from due
       where o.account_id = due.account_id and o.order_id = due.order_id`]: [
      'updates orders without one "account_id = $n" for orders',
      'locks orders without one "account_id = $n" for orders',
    ],
    // One mention of the query in "with" is bound, the other is not.
    [`with known as (select account_id from orders)
      select * from known a join transactions t on t.account_id = a.account_id, known b
       where b.account_id = $1`]:
      'combines transactions, orders without one "account_id = $n" for transactions, orders',
    [`select * from history where (account_id, order_id) in
        (select account_id, order_id from orders where account_id = $1)`]: none,
    [`select * from history where account_id = $1 and order_id in
        (select order_id from orders)`]:
      'combines history, orders without one "account_id = $n" for orders',
    [`select account_id, count(*) from orders where account_id = $1 group by account_id
       having exists (select from history h where h.account_id = orders.account_id)`]: none,
  }));

test('inserts of several accounts are fine alone', () =>
  assertRules({
    [`insert into provider_orders (account_id, provider, provider_order_id, order_id)
      select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
      on conflict do nothing`]: none,
    [`with inserted as (
        insert into orders select row.* from orders row where row.account_id = $1
        returning account_id, order_id)
      insert into provider_orders (account_id, provider, provider_order_id, order_id)
      select account_id, $2, $3, order_id from inserted`]: none,
    [`with inserted as (
        insert into provider_orders (account_id, provider, provider_order_id, order_id)
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
        returning order_id)
      select order_id from inserted`]:
      'inserts into provider_orders inside "with" without one "account_id = $n" for provider_orders',
    [`with inserted as (
        insert into provider_orders (account_id, provider, provider_order_id, order_id)
        select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])
        returning account_id)
      insert into consumer_emails (account_id) select account_id from inserted`]:
      'combines consumer_emails, provider_orders without one "account_id = $n" for consumer_emails, provider_orders',
    [`insert into history (account_id, order_id, position)
      select row.account_id, row.order_id, (select max(position) from history h
              where h.account_id = row.account_id and h.order_id = row.order_id)
        from unnest($1::text[], $2::text[]) as row (account_id, order_id)`]:
      'combines history without one "account_id = $n" for history',
    [`insert into history (account_id, order_id, position)
      select $1, row.order_id, (select max(position) from history h
              where h.account_id = $1 and h.order_id = row.order_id)
        from unnest($2::text[]) as row (order_id)`]: none,
    'insert into consumer_emails (account_id) values ($1), ($2)': none,
  }));

test('all accounts are read from one table, in pages', () =>
  assertRules({
    'select account_id, order_id from orders order by order_id limit $1': none,
    'select account_id, order_id from orders order by order_id':
      'reads orders of all accounts without a limit',
    'select * from orders where account_id = $1': none,
    'select count(*) from (select from orders limit 1000) as counted': none,
    'select min(lapses_at) from orders': none,
    'select exists (select from orders where lapses_at < $1)': none,
    'select account_id, count(*) from orders group by account_id':
      'reads orders of all accounts without a limit',
    'select * from history where (account_id, order_id) > ($1, $2)':
      'reads history of all accounts without a limit',
    [`select * from history
       where (account_id, order_id) > ($1, $2) and (account_id, order_id) <= ($3, $4)`]: none,
    // A few rows of each account.
    'select account_id from accounts order by account_id': none,
    [`(select account_id, order_id from orders limit 10)
      union all (select account_id, order_id from transactions limit 10)`]: none,
    [`select count(*) from ((select account_id from orders limit 10)
      union all (select account_id from transactions limit 10)) as counted`]: none,
    '(select account_id from orders limit 10) union all select account_id from transactions':
      'reads transactions of all accounts without a limit',
    '(select account_id from orders limit 10) union (select account_id from transactions limit 10)':
      'combines orders, transactions without one "account_id = $n" for orders, transactions',
  }));

test('tables that no account owns have statements of their own', () =>
  assertRules({
    'select * from memberships m join users u using (user_id) where m.account_id = $1':
      'names memberships, and users, which no account owns',
    'select coalesce((select reached_at from sweep_cursors), (select min(lapses_at) from orders))':
      'names orders, and sweep_cursors, which no account owns',
    'select * from users u join sessions s using (user_id) for update': none,
  }));

test('nothing is lateral, and no function makes rows of the rows of an account', () =>
  assertRules({
    [`select t.* from unnest($2::text[]) as row (order_id) cross join lateral (
        select * from transactions where account_id = $1 and order_id = row.order_id limit 1) t`]:
      'reads transactions in a lateral join',
    [`select entry from history h cross join json_array_elements(h.entries) as e (entry)
       where h.account_id = $1`]: 'reads history in a lateral join',
    'select json_array_elements(entries) from history where account_id = $1':
      'calls a function that returns rows for each row of history',
    'select unnest($1::text[])': none,
  }));

test('what a write computes is immutable', () => {
  const ofOrder = 'where account_id = $1 and order_id = $2';
  const pastTime = 'timestamptz_pl_interval(timestamp with time zone,interval)';
  return assertRules({
    [`update orders set lapses_at = $3 ${ofOrder}`]: none,
    [`update orders set attempts = attempts + 1, status = coalesce($3, status) ${ofOrder}`]: none,
    [`update orders set flags = $3::text[] ${ofOrder}`]: none,
    [`update orders o set flags = row.flags::text[] from unnest($2::text[]) as row (flags)
       where o.account_id = $1`]: 'writes orders with a cast to text[], which is not immutable',
    [`update orders set lapses_at = $3::timestamptz + interval '1 second' ${ofOrder}`]: `writes orders with ${pastTime}, which is not immutable`,
    [`update orders set lapses_at = now() ${ofOrder}`]:
      'writes orders with now(), which is not immutable',
    [`update orders set lapses_at = current_timestamp ${ofOrder}`]:
      'writes orders with the current time or user, which is not immutable',
    [`update orders set user_id = created_at::text ${ofOrder}`]:
      'writes orders with a cast from timestamp with time zone, which is not immutable',
    'delete from orders where account_id = $1 and created_at::date < $2':
      'writes orders with date(timestamp with time zone), which is not immutable',
    [`insert into account_logos (account_id, digest, media_type, bytes) values ($1, $2, $3, $4)
      on conflict (account_id) do update set media_type = to_char(now(), $5)`]: [
      'writes account_logos with to_char(timestamp with time zone,text), which is not immutable',
      'writes account_logos with now(), which is not immutable',
    ],
    // A select may ask for the time, and the tables of the coordinator may be written with it.
    'select * from orders where account_id = $1 and lapses_at < now()': none,
    'update sessions set last_seen_at = now() where user_id = $1': none,
  });
});

test('a statement without a query tree keeps all rules', async () => {
  assert.equal(await analyse('set local lock_timeout = 5'), undefined);
});

test('a query tree is read as it is printed, also where lines are broken', () => {
  const text = String.raw`{QUERY :name "a\ b\
c" :empty "" :none <> :set (b 8 9) :oids (o 25) :list ("\(" {CONST :constvalue 4 [ 1 -2 ]}
    <>) :flag true}`;
  assert.deepEqual(readTree(text), {
    kind: 'QUERY',
    fields: {
      name: 'a b c',
      empty: '',
      none: null,
      set: ['8', '9'],
      oids: ['25'],
      list: ['(', { kind: 'CONST', fields: { constvalue: ['4', ['1', '-2']] } }, null],
      flag: 'true',
    },
  });
  assert.throws(() => readTree('{QUERY :list (1'), { message: /ends too early/ });
});
