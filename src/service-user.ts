/**
 * Started as root, the service becomes an unprivileged user as soon as it needs root no longer: the owner of the data
 * folder, else a number that no user of the machine has. It is never that of the database server, which so can
 * read neither the master key nor the password. Where it cannot be done the service says why, and goes on as root.
 */
import { readFile } from 'node:fs/promises';
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import { isOwnFolder } from './embedded-postgres/database-folder.ts';
import { type Ids, makeOwnFolder } from './embedded-postgres/durable-file.ts';
import {
  findOwner,
  findRefused,
  foldersAbove,
  type KnownUser,
  listUsers,
} from './embedded-postgres/server-user.ts';
import type { Log } from './log.ts';

/** Of neither a distribution nor systemd, and within what a container usually has. */
const [freeIdMin, freeIdMax] = [60_514, 60_577];

/** A handful of what is read at any time: the program, the code, a package. */
const neededFiles = [
  process.execPath,
  ...['./main.ts', '../package.json', '../node_modules/pg/package.json'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ),
];

/** Whom the service becomes, or why it stays root; undefined when it is not root. */
export type ServiceUser = { readonly ids?: Ids; readonly why?: string } | undefined;

export async function chooseServiceUser(config: Config): Promise<ServiceUser> {
  if (process.getuid?.() !== 0) return undefined;
  return choose(config).catch((error: NodeJS.ErrnoException) => forbidden(error));
}

/** For good: there is no way back. */
export async function becomeUser(user: ServiceUser, log: Log): Promise<void> {
  const { ids, why } = user ?? {};
  const refused = ids ? (await tryToBecome(ids))?.why : why;
  if (refused === undefined) return;
  log.warn(
    `The service keeps running as root, because ${refused}: better start it as another user.`,
  );
}

async function tryToBecome(ids: Ids): Promise<ServiceUser> {
  await makeCompileCache(ids).catch(() => {});
  try {
    process.setgroups?.([]);
    process.setgid?.(ids.gid);
    process.setuid?.(ids.uid);
    return undefined;
  } catch (error) {
    return forbidden(error as NodeJS.ErrnoException);
  }
}

/**
 * Compiled code is kept in a folder for each user, by its number. Workers start as the other user: without a folder
 * they start slower and take more memory. Root never runs what is in theirs.
 */
async function makeCompileCache(ids: Ids): Promise<void> {
  flushCompileCache();
  const ofRoot = /^(.+)-0$/.exec(getCompileCacheDir() ?? '')?.[1];
  if (ofRoot) await makeOwnFolder(`${ofRoot}-${ids.uid}`, { owner: ids, mode: 0o700 });
}

function forbidden({ code }: NodeJS.ErrnoException): ServiceUser {
  return { why: `it may not become another user (${code})` };
}

/** A port that only root may listen on. */
export async function isPrivilegedPort(port: number): Promise<boolean> {
  const setting = '/proc/sys/net/ipv4/ip_unprivileged_port_start';
  return port < Number(await readFile(setting, 'utf8').catch(() => 1024));
}

async function choose({ databaseUrl, dataDir }: Config): Promise<ServiceUser> {
  const isEmbedded = databaseUrl === undefined;
  if (!isEmbedded && !isFreeOfFiles(databaseUrl)) {
    return {
      why: 'DATABASE_URL names a socket, certificates or no password, which may be for root only',
    };
  }
  const owner = isEmbedded ? await findOwner(dataDir) : undefined;
  if (isEmbedded && !owner && !(await isOwnFolder(dataDir))) {
    return { why: `${dataDir} also holds files of others` };
  }
  const users = await listUsers();
  const ids = owner ? idsOf(owner.uid, users) : findFreeIds(users);
  const refused =
    (await findRefused(ids, '-r', neededFiles)) ??
    (isEmbedded ? await findRefused(ids, '-x', foldersAbove(dataDir)) : undefined);
  return refused === undefined ? { ids } : { why: `another user cannot get to ${refused}` };
}

/** A password in the URL and a host of the network: nothing then depends on who connects. */
function isFreeOfFiles(databaseUrl: string): boolean {
  const hasPassword = /^\w+:\/\/[^/?@]*:[^/?@]+@[^/?]+/.test(databaseUrl);
  return hasPassword && !/[?&](host=(\/|%2f)|ssl(key|cert|rootcert)=)/i.test(databaseUrl);
}

/** Not the group of the folder, which is that of the server. */
function idsOf(uid: number, users: readonly KnownUser[]): Ids {
  return { uid, gid: users.find((user) => user.uid === uid)?.gid ?? uid };
}

function findFreeIds(users: readonly KnownUser[]): Ids {
  for (let id = freeIdMin; id <= freeIdMax; id += 1) {
    if (!users.some(({ uid, gid }) => uid === id || gid === id)) return { uid: id, gid: id };
  }
  throw Object.assign(new Error('every number is taken'), { code: 'EAGAIN' });
}
