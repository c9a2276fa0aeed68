/** Nothing but `sql` becomes part of a statement: a plain string does not compile, and a word is checked when it is used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Queryable } from '../../src/postgres/database.ts';
import { columnOf, columnsOf, sql, word } from '../../src/postgres/sql.ts';
import { compare } from '../../src/store/newest.ts';
import { execute, listRows } from '../../src/store/query.ts';

const injected: string = `x'; drop table orders; --`;

/** The compiler is the test: each line fails it if a string is accepted. */
export function doesNotCompile(database: Queryable, state: 'parked' | 'dead') {
  // @ts-expect-error a string is a value, not part of the text
  void execute(database)`delete from orders where order_id = '${injected}'`;
  // @ts-expect-error
  void listRows(database, [])`select * from orders order by ${injected}`;
  // @ts-expect-error
  void listRows(database, [])`select * from deliveries where state = '${state}'`;
  // @ts-expect-error
  void sql`select ${injected}`;
  // @ts-expect-error
  void compare(`status =`, 'dead');
  // @ts-expect-error a word of a list that is not closed
  void word(injected);
}

test('fragments, numbers and words become the text of a statement', async () => {
  const sent: unknown[] = [];
  const query = async (statement: unknown) => {
    sent.push(statement);
    return { rows: [], rowCount: 0 };
  };
  await listRows({ query }, ['a'], 'name')`
    select ${columnsOf('orderId, url', 'd')} from ${word('deliveries')} d limit ${7}`;
  const text = `
    select d.order_id as "orderId", d.url as "url" from deliveries d limit 7`;
  assert.deepEqual(sent, [{ name: 'name', text, values: ['a'] }]);
});

test('a word or a column that is none is refused', () => {
  for (const text of [injected, '', 'a b', "dead'", 'dead;']) {
    assert.throws(() => word(text as 'dead'), { message: /is no name of a column/ });
    assert.throws(() => columnOf(text), { message: /is no name of a column/ });
    assert.throws(() => columnsOf(`orderId, ${text}`), { message: /is no name of a column/ });
  }
});
