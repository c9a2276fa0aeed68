/**
 * Where the database of a data folder is: inside it, or in a folder of the machine when the server's user cannot
 * get there. A file in the data folder then names that place, so that it is found again and never made anew.
 */
import { constants } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../domain/start-error.ts';
import { explainingTrouble } from './data-folder.ts';
import { writeDurably } from './durable-file.ts';
import { databaseFolderOf, makeDatabaseFolder } from './machine-folder.ts';
import { chooseServerUser, findClosedFolder, type Ids, type ServerUser } from './server-user.ts';

const folderName = 'postgres';
const placeFile = 'database.folder';

/** Everything that the service itself puts into a data folder. */
const ownNames =
  /^(master\.key|database\.(password|folder)|(service|rotation)\.lock|postgres)(\.new|-journal)?$/;

/** The folder of the cluster, made or not. */
export async function findDatabaseFolder(dataDir: string): Promise<string> {
  const inside = join(dataDir, folderName);
  const name = await explainingTrouble(dataDir, () => readIfThere(join(dataDir, placeFile)));
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
  const strangers = (await readdir(dataDir)).filter((name) => !ownNames.test(name));
  if (strangers.length > 0) return;
  const folder = await open(dataDir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const { uid, mode } = await folder.stat();
    if (uid !== 0) return;
    await folder.chown(uid, gid);
    await folder.chmod((mode & 0o777) | 0o010);
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
