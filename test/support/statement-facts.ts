/** What the rules for statements need to know from the catalogs, and the query tree of a statement. */
import pg from 'pg';
import { readTree } from './statement-tree.ts';

export type Facts = {
  /** By the oid of a table: its name, and the number of its column `account_id` if that leads its primary key. */
  readonly tables: ReadonlyMap<number, { readonly name: string; readonly accountColumn?: number }>;
  /** By the oid of an operator: how it is written, and the oid of its function. */
  readonly operators: ReadonlyMap<number, { readonly name: string; readonly code: number }>;
  /** The names of the functions that are not immutable, by oid. */
  readonly changeable: ReadonlyMap<number, string>;
  /** The types whose text form depends on settings, by oid, when read and when written. */
  readonly readDifferently: ReadonlyMap<number, string>;
  readonly writtenDifferently: ReadonlyMap<number, string>;
};

export type Analyser = Awaited<ReturnType<typeof openAnalyser>>;

export async function openAnalyser(address: pg.ClientConfig) {
  const client = new pg.Client(address);
  await client.connect();
  const facts = await readFacts(client);
  let trees: string[] = [];
  let count = 0;
  client.on('notice', ({ message, detail }) => {
    if (message === 'parse tree:' && detail !== undefined) trees.push(detail);
  });
  // To this connection alone: the trees would fill the log of the server.
  await client.query(
    `set debug_print_parse = on; set debug_pretty_print = off;
     set client_min_messages = log; set log_min_messages = fatal`,
  );
  return {
    facts,
    /** Undefined for a statement that has no query tree, such as `set local lock_timeout = 5`. */
    analyse: async (text: string) => {
      if (!canBePrepared.test(text)) return undefined;
      trees = [];
      count += 1;
      await client.query(`prepare analysed_${count} as ${text}`);
      // The first tree is the command `prepare` itself.
      return readTree(trees[1] ?? '');
    },
    close: () => client.end(),
  };
}

const canBePrepared = /^\s*\(*\s*(select|with|insert|update|delete|values|merge)\b/i;

async function readFacts(client: pg.Client): Promise<Facts> {
  const tables = await client.query<{ oid: number; name: string; account_column: number | null }>(
    `select c.oid::integer, c.oid::regclass::text as name, a.attnum::integer as account_column
       from pg_class c
       left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
       left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
                               and a.attname = 'account_id'
      where c.relkind in ('r', 'p', 'v', 'm')`,
  );
  const operators = await client.query<{ oid: number; name: string; code: number }>(
    `select oid::integer, oprname as name, oprcode::oid::integer as code from pg_operator`,
  );
  const functions = await client.query<{ oid: number; name: string }>(
    `select oid::integer, oid::regprocedure::text as name from pg_proc where provolatile <> 'i'`,
  );
  const types = await client.query<{ oid: number; name: string; reads: string; writes: string }>(
    `select t.oid::integer, format_type(t.oid, null) as name,
            i.provolatile as reads, o.provolatile as writes
       from pg_type t join pg_proc i on i.oid = t.typinput join pg_proc o on o.oid = t.typoutput`,
  );
  const named = (rows: readonly { oid: number; name: string }[]) =>
    new Map(rows.map(({ oid, name }) => [oid, name]));
  return {
    tables: new Map(
      tables.rows.map(({ oid, name, account_column }) => [
        oid,
        { name, ...(account_column !== null && { accountColumn: account_column }) },
      ]),
    ),
    operators: new Map(operators.rows.map((operator) => [operator.oid, operator])),
    changeable: named(functions.rows),
    readDifferently: named(types.rows.filter(({ reads }) => reads !== 'i')),
    writtenDifferently: named(types.rows.filter(({ writes }) => writes !== 'i')),
  };
}
