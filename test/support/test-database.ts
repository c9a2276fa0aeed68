/** Clones the migrated template into a new database for each test file, and drops it at the end. */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { randomBase62 } from '../../src/domain/ids.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { dropEverywhere, runOnAllNodes } from '../../tools/harness/citus.ts';
import type { SuperuserAddress } from '../../tools/harness/trusting-server.ts';
import { isCitusRun } from './citus-cluster.ts';

export const templateName = 'migrated_template';

export type TestDatabase = {
  readonly database: Database;
  /** For service processes started by the test. */
  readonly url: string;
};

/** The cluster that the global setup started. */
export function clusterAddress(): SuperuserAddress {
  const text = process.env.TEST_DATABASE_ADDRESS;
  if (text === undefined) throw new Error('run the tests with "npm test", which starts PostgreSQL');
  return JSON.parse(text) as SuperuserAddress;
}

/** A connection for what stands between a service and the server: its socket is a file, or a port of the coordinator. */
export function connectToCluster({ host, port } = clusterAddress()): Socket {
  return host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host);
}

/** Either end closes the other. */
export function closeBoth(client: Socket, server: Socket): void {
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  client.on('error', () => {});
  server.on('error', () => {});
}

/** As its superuser, and more patient than the service: a busy machine is no reason to fail a file of tests. */
export function openCluster(): Database {
  return openDatabase(clusterAddress(), { purpose: 'maintenance', connectMsMax: 30_000 });
}

export async function createTestDatabase(
  template: string = templateName,
  options: Parameters<typeof openDatabase>[1] = {},
): Promise<TestDatabase> {
  const address = clusterAddress();
  const name = `test_${randomBase62(12).toLowerCase()}`;
  const cluster = openCluster();
  const create = (text: string) =>
    isCitusRun ? runOnAllNodes(cluster, text) : cluster.query({ text });
  // Copying the files is faster than writing every page to the WAL.
  await create(`create database ${name} template ${template} strategy file_copy`);
  const database = openDatabase({ ...address, database: name }, options);
  after(async () => {
    await database.close();
    try {
      if (isCitusRun) await dropEverywhere(cluster, name);
      else await cluster.query({ text: `drop database ${name} with (force)` });
    } finally {
      // Its connections would keep the process running, and with it the whole run.
      await cluster.close();
    }
  });
  const host = encodeURIComponent(address.host);
  return {
    database,
    url: `postgres://${address.user}@/${name}?host=${host}&port=${address.port}`,
  };
}

/** Every row of every table, to compare the database before and after. */
export async function dumpTables(database: Database): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await database.query<{ name: string }>({
    // Tables only: Citus adds a view of the sizes of tables, which change without a changed row.
    text: `select table_name as name from information_schema.tables
            where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
  });
  const dump: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const { rows } = await database.query<{ row: unknown }>({
      text: `select to_jsonb(t) as row from ${name} t order by to_jsonb(t)::text`,
    });
    dump[name] = rows.map(({ row }) => row);
  }
  return dump;
}
