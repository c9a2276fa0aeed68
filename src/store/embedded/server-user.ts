/**
 * Which user the database server runs as. PostgreSQL refuses to run as root, so when the service
 * does, the server gets an unprivileged user: the owner of the existing data, else `postgres`,
 * else `nobody`.
 */
import { chown, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export type ServerUser = {
  /** Undefined when the server runs as the same user as the service. */
  readonly ids: { readonly uid: number; readonly gid: number } | undefined;
  /** Words to put before a command, where Node alone cannot become that user. */
  readonly prefix: readonly string[];
};

export async function chooseServerUser(
  databaseDir: string,
  mustReach: readonly string[],
): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { ids: undefined, prefix: [] };
  const ids = (await findOwner(databaseDir)) ?? (await findUnprivilegedUser());
  const mayPass = await canReachAll(ids.uid, mustReach);
  return { ids, prefix: mayPass ? [] : withFolderAccess(ids.uid, ids.gid) };
}

/** Gives a file to the server's user, where that is another one than ours. */
export async function giveTo(user: ServerUser, path: string): Promise<void> {
  if (user.ids) await chown(path, user.ids.uid, user.ids.gid);
}

async function findOwner(databaseDir: string): Promise<{ uid: number; gid: number } | undefined> {
  const found = await stat(databaseDir).catch(() => undefined);
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

async function findUnprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] =
      passwd
        .split('\n')
        .find((line) => line.startsWith(`${name}:`))
        ?.split(':') ?? [];
    if (uid !== undefined && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  return { uid: 65534, gid: 65534 };
}

/** True when every folder above the paths lets that user pass. */
async function canReachAll(uid: number, paths: readonly string[]): Promise<boolean> {
  const othersMayPass = 0o001;
  const ownerMayPass = 0o100;
  for (const path of paths) {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const { mode, uid: owner } = await stat(folder);
      if (!(mode & (owner === uid ? ownerMayPass : othersMayPass))) return false;
      if (folder === dirname(folder)) break;
    }
  }
  return true;
}

/**
 * A checkout under /root or a `mktemp -d` is closed to other users. The server then keeps the one
 * privilege of passing closed folders, and no other.
 */
function withFolderAccess(uid: number, gid: number): string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    // PostgreSQL asks access(2), which otherwise forgets the privilege of one who is not root.
    '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--bounding-set=-all,+dac_override',
    // The privilege is there from the next program on, and the server's own may lie in such a folder.
    'env',
  ];
}
