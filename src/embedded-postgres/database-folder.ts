/**
 * Where the database of a data folder is: inside it, or in a folder of the machine when the server's user cannot
 * get there. A file in the data folder then names that place, so that it is found again and never made anew.
 */
import { constants } from 'node:fs';
import { lchown, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../domain/start-error.ts';
import { explainingErrors } from './data-folder.ts';
import { giveFile, type Ids, writeDurably } from './durable-file.ts';
import { databaseFolderOf, makeDatabaseFolder } from './machine-folder.ts';
import { chooseServerUser, findClosedFolder, type ServerUser } from './server-user.ts';

const folderName = 'postgres';
const placeFile = 'database.folder';

const secretFiles = ['master.key', 'database.password', placeFile];
const lockFiles = ['service.lock', 'rotation.lock'];
/** Everything that the service puts into a data folder, also what a crash left half made; and what a disk has. */
const ownNames = new RegExp(
  `^(${[...secretFiles, ...lockFiles, folderName, 'socket', 'lost+found'].join('|').replaceAll(/[.+]/g, '\\$&')})(\\.new|-journal)?$`,
);

/** The folder of the cluster, made or not. */
export async function findDatabaseFolder(dataDir: string): Promise<string> {
  const inside = join(dataDir, folderName);
  const name = await explainingErrors(dataDir, () => readIfThere(join(dataDir, placeFile)));
  if (name === undefined) return inside;
  const elsewhere = databaseFolderOf(name.trim());
  if (await isThere(join(inside, 'PG_VERSION'))) {
    throw new StartError(
      `There is a database in ${inside}, and ${join(dataDir, placeFile)} names another in ${elsewhere}: move the one away that is not wanted; for the second that is the file.`,
    );
  }
  if (!(await isThere(elsewhere))) {
    throw new StartError(
      `The database of ${dataDir} belongs in ${elsewhere}, which is not there: restore that folder from a backup.`,
    );
  }
  return join(elsewhere, folderName);
}

/** For a data folder that has a database, or has none yet; before the first start its place is settled here. */
export async function settleDatabaseFolder(
  dataDir: string,
  warn: (line: string) => void,
): Promise<{ readonly directory: string; readonly user: ServerUser }> {
  const directory = await findDatabaseFolder(dataDir);
  const user = await chooseServerUser(dataDir, directory);
  const isInside = directory === join(dataDir, folderName);
  if (!user.ids || !isInside) return { directory, user };
  await letPass(dataDir, user.ids);
  const closed = await findClosedFolder(user, directory);
  if (closed === undefined) return { directory, user };
  if (await isThere(directory)) {
    throw new StartError(
      `The folder ${closed} is closed to the user that the database in ${dataDir} runs as: run "chmod o+x ${closed}", or move ${dataDir} elsewhere and set DATA_DIR.`,
    );
  }
  const name = await makeDatabaseFolder(dataDir, closed);
  await writeDurably(join(dataDir, placeFile), `${name}\n`);
  warn(
    `The folder ${closed} is closed to the user that the database runs as, so the database of ${dataDir} is kept in ${databaseFolderOf(name)}: save both.`,
  );
  return { directory: join(databaseFolderOf(name), folderName), user };
}

/** True also for data that only a file in the folder names. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  return (await isThere(join(dataDir, folderName))) || (await isThere(join(dataDir, placeFile)));
}

/** The data folder itself is ours: the server's group may pass it, and nobody else gets more than before. */
async function letPass(dataDir: string, { gid }: Ids): Promise<void> {
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

/** Root's, and with nothing in it but what the service puts there: only then may its owner be changed. */
export async function isOwnFolder(dataDir: string): Promise<boolean> {
  const { uid } = await stat(dataDir);
  return uid === 0 && (await readdir(dataDir)).every((name) => ownNames.test(name));
}

/** Gives the data folder and the files of the service to the user that it becomes; the database stays as it is. */
export async function handOver(dataDir: string, { uid, gid }: Ids): Promise<void> {
  const paths = secretFiles.map((name) => join(dataDir, name));
  if (!(await isOwnFolder(dataDir))) {
    for (const path of paths) await giveFile(path, { uid, gid });
    return;
  }
  // Nobody else can put anything here yet. Locks must not even be opened: to close them would end our own.
  for (const path of [...paths, ...lockFiles.map((name) => join(dataDir, name))]) {
    if (await isThere(path)) await lchown(path, uid, gid);
  }
  const folder = await open(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { gid: ofServer } = await folder.stat();
    await folder.chown(uid, ofServer);
    await folder.chmod(0o710);
  } finally {
    await folder.close();
  }
}

function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
