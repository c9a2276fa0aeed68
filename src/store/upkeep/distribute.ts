/** Spreads the tables of accounts over the nodes of a Citus cluster. Contract 15.5. */
import type { Database, Queryable } from '../../postgres/database.ts';
import { listRows } from '../query.ts';
import { lockSchema, withoutTimeout } from './schema-lock.ts';

export async function hasCitus(database: Queryable) {
  const rows = await listRows(database)`select 1 from pg_extension where extname = 'citus'`;
  return rows.length > 0;
}

/** True once `accounts`, the first table, is distributed. */
export async function isDistributed(database: Queryable): Promise<boolean> {
  if (!(await hasCitus(database))) return false;
  const rows = await listRows(database, [rootTable])`
    select 1 from pg_dist_partition where logicalrelid = to_regclass($1)`;
  return rows.length > 0;
}

/**
 * Distributes the tables that are not distributed yet, and returns their names. Each table is a commit of its own, so a
 * run that was interrupted is continued by the next.
 */
export async function distributeTables(database: Database): Promise<string[]> {
  const distributed: string[] = [];
  for (const name of await listUndistributed(database)) {
    if (await distributeTable(database, name)) distributed.push(name);
  }
  return distributed;
}

/** False if another process has done it meanwhile. */
async function distributeTable(database: Database, name: string): Promise<boolean> {
  return database.transaction(async (limited) => {
    const tx = await withoutTimeout(limited);
    await tx.query({ text: 'set local lock_timeout = 0' });
    await lockSchema(tx);
    if (!(await listUndistributed(tx)).includes(name)) return false;
    await tx.query({
      // All rows of an account are on one node, because all tables are placed like `accounts`.
      text: `select create_distributed_table($1::text::regclass, 'account_id', colocate_with => $2)`,
      values: [name, name === rootTable ? 'none' : rootTable],
    });
    return true;
  });
}

/** All others refer to it, and are placed like it. */
const rootTable = 'accounts';

/**
 * The tables whose primary key begins with the account, `accounts` first and the others behind those that they refer
 * to. All other tables are small and stay on the coordinator.
 */
export async function listUndistributed(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ name: string; refers_to: string[] }>({
    text: `select c.relname::text as name,
                  array(select f.confrelid::regclass::text from pg_constraint f
                         where f.contype = 'f' and f.conrelid = c.oid) as refers_to
             from pg_class c
             join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
             join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
            where c.relnamespace = current_schema()::regnamespace and a.attname = 'account_id'
              and not exists (select 1 from pg_dist_partition p where p.logicalrelid = c.oid)
            order by c.relname`,
  });
  const names = rows.map(({ name }) => name);
  const sorted: string[] = [];
  const add = (name: string): void => {
    if (sorted.includes(name) || !names.includes(name)) return;
    for (const other of rows.find((row) => row.name === name)?.refers_to ?? []) add(other);
    sorted.push(name);
  };
  add(rootTable);
  for (const name of names) add(name);
  return sorted;
}
