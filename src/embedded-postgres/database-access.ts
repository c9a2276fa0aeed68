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
import {
  bootstrapRole,
  databaseName,
  type Programs,
  runStatements,
  socketPort,
} from './postgres-process.ts';
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

/**
 * For a new cluster, and for one of the first release, where the service was the superuser and logins needed no password.
 * Every step can be repeated, so a start that was killed halfway runs all of them again.
 */
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
    `do $$ declare change text; begin ${ownershipChanges.map(executeEach).join(' ')} end $$`,
  ];
}

const isUserSchema = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

/**
 * Queries for the statements that change the owner of everything the superuser owns outside the system schemas.
 * \`reassign owned\` does not work for the superuser that created the cluster.
 */
const ownershipChanges = [
  `select format('alter schema %I', n.nspname) from pg_namespace n
    where ${isUserSchema} and n.nspowner = '${bootstrapRole}'::regrole`,
  // Indexes and the sequences of columns follow their table.
  `select format('alter table %s', c.oid::regclass) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isUserSchema} and c.relowner = '${bootstrapRole}'::regrole and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
  `select format('alter sequence %s', c.oid::regclass) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where ${isUserSchema} and c.relowner = '${bootstrapRole}'::regrole and c.relkind = 'S'`,
  `select format('alter routine %s', p.oid::regprocedure) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${isUserSchema} and p.proowner = '${bootstrapRole}'::regrole`,
  `select format('alter type %s', t.oid::regtype) from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where ${isUserSchema} and t.typowner = '${bootstrapRole}'::regrole and t.typtype in ('e', 'd', 'r')`,
];

function executeEach(query: string): string {
  return `for change in ${query} loop execute change || ' owner to ${serviceRole}'; end loop;`;
}

function rulesFile(directory: string): string {
  return join(directory, 'pg_hba.conf');
}

function passwordFile(dataDir: string): string {
  return join(dataDir, 'database.password');
}
