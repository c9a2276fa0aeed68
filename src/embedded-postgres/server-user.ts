/**
 * Which user the database server runs as, and which files that user can access. PostgreSQL refuses to run as root. If the
 * service runs as root, the server gets the owner of the existing data or of the data folder, else `postgres`, else
 * `nobody`. The user must be in /etc/passwd, because `initdb` looks up its name.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { StartError } from '../domain/start-error.ts';
import type { Ids } from './durable-file.ts';

export type ServerUser = {
  /** Undefined when the server runs as the same user as the service. */
  readonly ids: Ids | undefined;
};

export async function chooseServerUser(dataDir: string, databaseDir: string): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { ids: undefined };
  const users = await listUsers();
  const ofFolder = await findOwner(dataDir);
  const isKnown = users.some(({ uid }) => uid === ofFolder?.uid);
  const ids = (await findOwner(databaseDir)) ?? (isKnown ? ofFolder : undefined);
  return { ids: ids ?? findUnprivileged(users) };
}

/** The first folder above the path that the user cannot enter. */
export async function findClosedFolder({ ids }: ServerUser, path: string) {
  return findInaccessible(ids, '-x', foldersAbove(path)).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      `PostgreSQL does not run as root, and this process may not switch to another user (${error.code}): start the service as another user, or set DATABASE_URL.`,
    );
  });
}

/** A process of that user tries it, because file modes alone do not tell: there are access control lists too. */
export async function findInaccessible(
  ids: Ids | undefined,
  right: '-r' | '-x',
  paths: readonly string[],
): Promise<string | undefined> {
  const script = `for path; do test ${right} "$path" || { printf %s "$path"; exit; }; done`;
  const shell = spawn('sh', ['-c', script, 'sh', ...paths], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...ids,
  });
  const [found] = await Promise.all([text(shell.stdout), once(shell, 'close')]);
  return found === '' ? undefined : found;
}

export function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === dirname(folder) ? [folder] : [...foldersAbove(folder), folder];
}

/** Undefined when root owns the folder, or when it does not exist. */
export async function findOwner(folder: string): Promise<Ids | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

export type KnownUser = Ids & { readonly name: string };

export async function listUsers(): Promise<KnownUser[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
}

function findUnprivileged(users: readonly KnownUser[]): Ids {
  for (const wanted of ['postgres', 'nobody']) {
    const found = users.find(({ name, uid }) => name === wanted && uid > 0);
    if (found) return { uid: found.uid, gid: found.gid };
  }
  return { uid: 65534, gid: 65534 };
}
