/**
 * Who may log in to the embedded database: one role, with a password that is stored in the data folder. The role owns the
 * database but has no rights over the server. The superuser that created the cluster cannot log in; statements that need
 * it run here in single-user mode, while no server runs.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../domain/start-error.ts';
import type { DatabaseAddress } from '../postgres/database.ts';
import { writeDurably } from './durable-file.ts';
import { databaseName, type Programs, runStatements, socketPort } from './postgres-process.ts';
import type { ServerUser } from './server-user.ts';

const serviceRole = 'payment_orders';

/** PostgreSQL refuses every login that matches no line. */
const accessRules = `# Written by the service, which overwrites changes.
local  all  ${serviceRole}  scram-sha-256
`;

type Cluster = {
  readonly programs: Programs;
  readonly user: ServerUser;
  readonly dataDir: string;
  /** The PostgreSQL cluster, inside `dataDir` or elsewhere. */
  readonly directory: string;
};

export async function serviceAddress(dataDir: string, socketDir: string): Promise<DatabaseAddress> {
  const path = passwordFile(dataDir);
  const password = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      `The file ${path} cannot be read (${error.code}): use the user that the service runs as, or root.`,
    );
  });
  return {
    host: socketDir,
    port: socketPort,
    user: serviceRole,
    password: password.trim(),
    database: databaseName,
  };
}

/** The password file is written last: if it is missing, or the rules differ, all steps of `setAccess` must run. */
export async function isAccessSet({ dataDir, directory }: Cluster): Promise<boolean> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => undefined);
  const password = await read(passwordFile(dataDir));
  return password !== undefined && (await read(rulesFile(directory))) === accessRules;
}

/** For a new cluster. Every step can be repeated, so a start that was killed halfway runs all of them again. */
export async function setAccess({ programs, user, dataDir, directory }: Cluster): Promise<void> {
  const password = randomBytes(32).toString('hex');
  await runStatements(programs, user, directory, statementsFor(password));
  await writeDurably(rulesFile(directory), accessRules, user.ids);
  await writeDurably(passwordFile(dataDir), `${password}\n`);
}

function statementsFor(password: string): string[] {
  return [
    `do $$ begin if to_regrole('${serviceRole}') is null then create role ${serviceRole}; end if; end $$`,
    // A slow hash would only delay every new connection: a password of 256 random bits cannot be guessed.
    'set scram_iterations = 1',
    `alter role ${serviceRole} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`,
    `alter database ${databaseName} owner to ${serviceRole}`,
  ];
}

function rulesFile(directory: string): string {
  return join(directory, 'pg_hba.conf');
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'database.password');
}
