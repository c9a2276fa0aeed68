/** A role of the database server that may have few connections, and clients that hold them all. */
import { after } from 'node:test';
import { randomBase62 } from '../../src/domain/ids.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { clusterAddress, type TestDatabase } from './test-database.ts';

export type BoundRole = {
  readonly role: string;
  /** From here on others have all the connections that there are. */
  readonly holdAll: () => Promise<void>;
  readonly release: () => Promise<void>;
};

/** The superuser of the tests cannot be bounded, so this is another, who may do what the service does. */
export async function createBoundRole({ database }: TestDatabase): Promise<BoundRole> {
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
  /** Resolves with the server's number of the connection once it is held. */
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
    holdAll: async () => {
      const held = await Promise.all(Array.from({ length: connectionsMax }, holdOne));
      await cluster.query({ text: `alter role ${role} connection limit ${connectionsMax}` });
      await cluster.query({
        text: `select pg_terminate_backend(pid) from pg_stat_activity
                where usename = $1 and pid <> all ($2::int[])`,
        values: [role, held],
      });
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
