/**
 * Where the database of a data folder is: inside it, or in a machine-wide folder when the server's user cannot enter the
 * data folder. A file in the data folder then names that location, so that the next start finds the same database.
 */
import { constants } from 'node:fs';
import { lchown, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../domain/start-error.ts';
import { explainingErrors } from './data-folder.ts';
import { changeFileOwner, type Ids, writeDurably } from './durable-file.ts';
import { databaseFolderOf, makeDatabaseFolder } from './machine-folder.ts';
import { chooseServerUser, findClosedFolder } from './server-user.ts';
import { serviceUrlFile } from './service-url-file.ts';

const folderName = 'postgres';
const locationFile = 'database.folder';
export const demoEnvFile = 'demo.env';

/** Those that the user of the service must own. */
const ownedFiles = ['master.key', 'database.password', locationFile, serviceUrlFile, demoEnvFile];
const lockFiles = ['service.lock', 'rotation.lock'];
/** Everything that the service writes into a data folder, including leftovers of a crash, and `lost+found` of a disk. */
const ownNames = new RegExp(
  `^(${[...ownedFiles, ...lockFiles, folderName, 'socket', 'lost+found'].join('|').replaceAll(/[.+]/g, '\\$&')})(\\.new|-journal)?$`,
);

/** The folder of the cluster, whether it exists or not. */
export async function findDatabaseFolder(dataDir: string): Promise<string> {
  const inside = join(dataDir, folderName);
  const location = join(dataDir, locationFile);
  const name = await explainingErrors(dataDir, () =>
    readFile(location, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }),
  );
  if (name === undefined) return inside;
  const elsewhere = databaseFolderOf(name.trim());
  if (await isThere(join(inside, 'PG_VERSION'))) {
    throw new StartError(
      `There are two databases of ${dataDir}: one in ${inside}, and one in ${elsewhere}, named by ${location}. To choose the first, move that file away; to choose the second, move the folder ${inside} away.`,
    );
  }
  if (!(await isThere(elsewhere))) {
    throw new StartError(
      `The database of ${dataDir} is stored in ${elsewhere}, which does not exist: restore that folder from a backup.`,
    );
  }
  return join(elsewhere, folderName);
}

/** Finds the cluster of a data folder, and decides at the first start where it goes. */
export async function chooseDatabaseFolder(dataDir: string, warn: (line: string) => void) {
  const directory = await findDatabaseFolder(dataDir);
  const user = await chooseServerUser(dataDir, directory);
  const isInside = directory === join(dataDir, folderName);
  if (!user.ids || !isInside) return { directory, user };
  await allowGroupToEnter(dataDir, user.ids);
  const closed = await findClosedFolder(user, directory);
  if (closed === undefined) return { directory, user };
  if (await isThere(directory)) {
    throw new StartError(
      `The user that the database in ${dataDir} runs as cannot enter the folder ${closed}: run "chmod o+x ${closed}", or move ${dataDir} elsewhere and set DATA_DIR.`,
    );
  }
  const name = await makeDatabaseFolder(dataDir, closed);
  await writeDurably(join(dataDir, locationFile), `${name}\n`);
  warn(
    `The user that the database runs as cannot enter the folder ${closed}, so the database of ${dataDir} is stored in ${databaseFolderOf(name)}: back up both folders.`,
  );
  return { directory: join(databaseFolderOf(name), folderName), user };
}

/** True also when the database is stored elsewhere. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return (await isThere(join(dataDir, folderName))) || (await isThere(join(dataDir, locationFile)));
}

/** Lets the server's group enter the data folder, if the folder is ours. Other users get no new rights. */
async function allowGroupToEnter(dataDir: string, { gid }: Ids): Promise<void> {
  if (!(await isOwnFolder(dataDir))) return;
  const folder = await open(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { uid, mode } = await folder.stat();
    await folder.chown(uid, gid);
    await folder.chmod((mode & 0o777) | 0o010);
  } finally {
    await folder.close();
  }
}

/** Root owns it, and it contains only files of the service: only then may the service change its owner. */
export async function isOwnFolder(dataDir: string): Promise<boolean> {
  const { uid } = await stat(dataDir);
  return uid === 0 && (await readdir(dataDir)).every((name) => ownNames.test(name));
}

/** Makes the user that the service becomes the owner of the data folder and its files, except for the database. */
export async function changeOwner(dataDir: string, { uid, gid }: Ids): Promise<void> {
  const paths = ownedFiles.map((name) => join(dataDir, name));
  if (!(await isOwnFolder(dataDir))) {
    for (const path of paths) await changeFileOwner(path, { uid, gid });
    return;
  }
  // Only root can write here so far, so no link can lead elsewhere. Lock files must not be opened: closing one would
  // release the lock that this process holds.
  for (const path of [...paths, ...lockFiles.map((name) => join(dataDir, name))]) {
    if (await isThere(path)) await lchown(path, uid, gid);
  }
  const folder = await open(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { gid: serverGid } = await folder.stat();
    await folder.chown(uid, serverGid);
    await folder.chmod(0o710);
  } finally {
    await folder.close();
  }
}

/** True also if it cannot be told. */
export function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
