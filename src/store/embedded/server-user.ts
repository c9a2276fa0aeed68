/**
 * Which user the database server runs as, and what that user can reach. PostgreSQL refuses to run as root, so
 * when the service does, the server gets an unprivileged user: the owner of the existing data or of the data folder,
 * else `postgres`, else `nobody`. It must be in the list of users, where `initdb` looks for its name.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';

export type Ids = { readonly uid: number; readonly gid: number };

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

/** Gives a file to the server's user, where that is another one than ours. */
export async function giveTo(user: ServerUser, path: string): Promise<void> {
  if (user.ids) await chown(path, user.ids.uid, user.ids.gid);
}

/** The first of the folders above the path that the user may not pass; the user itself is asked, not the modes. */
export async function findClosedFolder(
  { ids }: ServerUser,
  path: string,
): Promise<string | undefined> {
  const folders: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  const script = 'for folder; do test -x "$folder" || { printf %s "$folder"; exit; }; done';
  const asked = spawn('sh', ['-c', script, 'sh', ...folders], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    ...ids,
  });
  const [said] = await Promise.all([text(asked.stdout), once(asked, 'close')]);
  return said === '' ? undefined : said;
}

async function findOwner(folder: string): Promise<Ids | undefined> {
  const found = await stat(folder).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

type KnownUser = Ids & { readonly name: string };

async function listUsers(): Promise<KnownUser[]> {
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
