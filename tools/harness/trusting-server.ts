/**
 * A PostgreSQL server on which everybody who can reach its socket is superuser. Tools and tests create databases and
 * roles there, which the service itself may not do.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeOwnFolder } from '../../src/embedded-postgres/durable-file.ts';
import { reachablePrograms } from '../../src/embedded-postgres/machine-folder.ts';
import {
  findPrograms,
  initialiseCluster,
  waitUntilReady,
} from '../../src/embedded-postgres/postgres-process.ts';
import { launchKeeper } from '../../src/embedded-postgres/server-keeper.ts';
import { chooseServerUser } from '../../src/embedded-postgres/server-user.ts';

export type SuperuserAddress = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
};

export type TrustingServer = {
  readonly address: SuperuserAddress;
  readonly stop: () => Promise<void>;
};

/**
 * Creates a cluster in a new folder and starts its server. Tests cause hundreds of FATAL lines on
 * purpose, so the server's log goes to a file, which is printed when the server ends before it is stopped.
 */
export async function startTrustingServer(directory: string): Promise<TrustingServer> {
  const user = await chooseServerUser(dirname(directory), directory);
  await makeOwnFolder(directory, { owner: user.ids, mode: 0o700 });
  const programs = await reachablePrograms(await findPrograms(), user);
  await initialiseCluster(programs, user, directory);
  await writeFile(join(directory, 'pg_hba.conf'), 'local all all trust\n');
  const paths = { directory, socketDir: directory, socketMode: '0700' };
  const logFile = join(directory, 'server.log');
  await writeFile(logFile, '');
  const keeper = launchKeeper(programs, user, paths, (line) =>
    appendFileSync(logFile, `${line}\n`),
  );
  const server = await keeper.start();
  let isStopping = false;
  void server.ended.then(() => {
    keeper.close();
    if (!isStopping) console.error(readFileSync(logFile, 'utf8'));
  });
  const address = superuserAddress(directory);
  await waitUntilReady(server, address);
  return {
    address,
    stop: async () => {
      isStopping = true;
      server.signal('INT');
      await server.ended;
    },
  };
}

export function superuserAddress(socketDir: string): SuperuserAddress {
  return { host: socketDir, port: 5432, user: 'postgres', database: 'postgres' };
}
