/**
 * A service that is started as root becomes an unprivileged user as soon as it can: the owner of the data folder, else a
 * user id that is not in use. It never becomes the user of the database server, which therefore cannot read the master
 * key. If the change is not possible, the service logs why and continues as root.
 */
import { readFile } from 'node:fs/promises';
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isOwnFolder } from '../embedded-postgres/database-folder.ts';
import { type Ids, makeOwnFolder } from '../embedded-postgres/durable-file.ts';
import {
  findInaccessible,
  findOwner,
  foldersAbove,
  type KnownUser,
  listUsers,
} from '../embedded-postgres/server-user.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** A range that neither distributions nor systemd assign, and that user namespaces of containers usually include. */
const [freeIdMin, freeIdMax] = [60_514, 60_577];

/** Samples of the files that the process reads while it runs: Node, our code, a package. */
const neededFiles = [
  process.execPath,
  ...['../main.ts', '../../package.json', '../../node_modules/pg/package.json'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  ),
];

/** The user that the service becomes, or why it stays root; undefined when it is not root. */
export type ServiceUser = { readonly ids?: Ids; readonly why?: string } | undefined;

export async function chooseServiceUser(config: Config): Promise<ServiceUser> {
  if (process.getuid?.() !== 0) return undefined;
  return choose(config).catch(forbidden);
}

/** Cannot be undone. */
export async function becomeUser(user: ServiceUser, log: Log): Promise<void> {
  const ids = user?.ids;
  let why = user?.why;
  if (ids) {
    await makeCompileCache(ids).catch(() => {});
    try {
      process.setgroups?.([]);
      process.setgid?.(ids.gid);
      process.setuid?.(ids.uid);
      return;
    } catch (error) {
      ({ why } = forbidden(error as NodeJS.ErrnoException));
    }
  }
  if (why === undefined) return;
  log.warn(`The service keeps running as root, because ${why}: better start it as another user.`);
}

/** The cache is per user id. Without one, workers start slower and use more memory. Root never runs code from it. */
async function makeCompileCache(ids: Ids): Promise<void> {
  flushCompileCache();
  const ofRoot = /^(.+)-0$/.exec(getCompileCacheDir() ?? '')?.[1];
  if (ofRoot) await makeOwnFolder(`${ofRoot}-${ids.uid}`, { owner: ids, mode: 0o700 });
}

function forbidden({ code }: NodeJS.ErrnoException) {
  return { why: `it may not become another user (${code})` };
}

/** True for ports that only root may listen on. */
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
    (await findInaccessible(ids, '-r', neededFiles)) ??
    (isEmbedded ? await findInaccessible(ids, '-x', foldersAbove(dataDir)) : undefined);
  return refused === undefined ? { ids } : { why: `another user cannot access ${refused}` };
}

/** True when the URL has a password and a network host, so that connecting does not depend on the user's files. */
function isFreeOfFiles(databaseUrl: string): boolean {
  const hasPassword = /^\w+:\/\/[^/?@]*:[^/?@]+@[^/?]+/.test(databaseUrl);
  return hasPassword && !/[?&](host=(\/|%2f)|ssl(key|cert|rootcert)=)/i.test(databaseUrl);
}

/** Not the group of the folder, which may be the group of the database server. */
function idsOf(uid: number, users: readonly KnownUser[]): Ids {
  return { uid, gid: users.find((user) => user.uid === uid)?.gid ?? uid };
}

function findFreeIds(users: readonly KnownUser[]): Ids {
  for (let id = freeIdMin; id <= freeIdMax; id += 1) {
    if (!users.some(({ uid, gid }) => uid === id || gid === id)) return { uid: id, gid: id };
  }
  throw Object.assign(new Error('no free user id'), { code: 'EAGAIN' });
}
