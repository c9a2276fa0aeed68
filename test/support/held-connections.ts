/** A database role with a connection limit, and clients that take all of its connections. */
import { after } from 'node:test';
import { randomBase62 } from '../../src/domain/ids.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { endBackends } from './end-backends.ts';
import { clusterAddress, type TestDatabase } from './test-database.ts';

/** A superuser has no connection limit, so the service uses this role, which has the rights it needs. */
export async function createLimitedRole({ database }: TestDatabase) {
  const connectionsMax = 8;
  const role = `clerk_${randomBase62(8).toLowerCase()}`;
  const name = await readName(database);
  const cluster = openDatabase(clusterAddress());
  await cluster.query({ text: `create role ${role} login` });
  await cluster.query({ text: `grant pg_read_all_data, pg_write_all_data to ${role}` });
  await cluster.query({ text: `grant create on database ${name} to ${role}` });
  const holder = openDatabase({ ...clusterAddress(), user: role, database: name });
  const released = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;
  const release = () => {
    released.resolve();
    closing ??= holder.close();
    return closing;
  };
  after(async () => {
    await release();
    await cluster.query({ text: `drop role ${role}` });
    await cluster.close();
  });
  /** Resolves to the backend's process id once the connection is held. */
  const holdOne = () =>
    new Promise<number>((resolve, reject) => {
      holder
        .transaction(async (tx) => {
          const { rows } = await tx.query<{ pid: number }>({
            text: 'select pg_backend_pid() as pid',
          });
          resolve(rows[0]?.pid ?? 0);
          await released.promise;
        })
        .catch(reject);
    });
  return {
    role,
    /** Takes all connections of the role and ends those of others. */
    holdAll: async () => {
      const held = await Promise.all(Array.from({ length: connectionsMax }, holdOne));
      await cluster.query({ text: `alter role ${role} connection limit ${connectionsMax}` });
      await endBackends(cluster, 'usename = $1 and pid <> all ($2::int[])', [role, held]);
    },
    release,
  };
}

async function readName(database: TestDatabase['database']): Promise<string> {
  const { rows } = await database.query<{ name: string }>({
    text: 'select current_database() as name',
  });
  return rows[0]?.name ?? '';
}
