/** The schema of the job library: one for each installation, so that two in one database do not share their jobs. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../postgres/database.ts';

export async function findJobSchema(database: Queryable): Promise<string> {
  const { rows } = await database.query<{ schema: string | null }>({
    text: 'select current_schema() as schema',
  });
  return nameJobSchema(rows[0]?.schema ?? 'public');
}

/** The library takes up to 50 letters, digits and underscores. */
export function nameJobSchema(schema: string): string {
  if (schema === 'public') return 'pgboss';
  if (/^[a-z0-9_]{1,40}$/.test(schema)) return `pgboss_${schema}`;
  return `pgboss_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
}
