/** The folder that holds everything of the embedded mode: the lock, the master key, the database. */
import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../domain/start-error.ts';

export type DataFolderLock = { readonly release: () => void };

/**
 * Makes sure that one service uses the folder. The lock is the operating system's own, taken
 * through SQLite since Node offers no other way to it: the kernel gives it back however the
 * process ends, so nothing can be left stale by SIGKILL, a zombie or a lost machine.
 */
export function lockDataFolder(dataDir: string): Promise<DataFolderLock> {
  return lockFile(
    dataDir,
    'service.lock',
    `The data folder ${dataDir} is in use by another running service: stop that one, or set DATA_DIR to another folder.`,
  );
}

export async function lockFile(
  dataDir: string,
  name: string,
  sentenceWhenTaken: string,
): Promise<DataFolderLock> {
  const path = join(dataDir, name);
  await explainingErrors(dataDir, async () => {
    await makeFolder(dataDir);
    // SQLite would not say why it cannot.
    await makeLockFile(dataDir, path);
  });
  try {
    const lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('begin exclusive');
    return {
      release: () => {
        if (lock.isOpen) lock.close();
      },
    };
  } catch (error) {
    if (/locked/.test(String(error))) throw new StartError(sentenceWhenTaken);
    throw new StartError(`The data folder ${dataDir} cannot be locked: ${String(error)}.`);
  }
}

/** It belongs to the owner of the folder, whoever makes it: root may lock first, and that user later. */
async function makeLockFile(dataDir: string, path: string): Promise<void> {
  const { uid } = await stat(dataDir);
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    const isGiven = process.getuid?.() === 0 && found.isFile() && found.nlink === 1;
    if (isGiven && found.uid !== uid) await file.chown(uid, found.gid);
  } finally {
    await file.close();
  }
}

/** Step by step: the recursive way reports a read-only disk as a missing folder. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (folder !== dirname(folder)) await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || found) throw error;
  });
}

/** Turns the troubles a folder can have into the sentence that names the remedy. */
export async function explainingErrors<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainFolderError(folder, error) ?? error;
  }
}

export function explainFolderError(folder: string, error: unknown): StartError | undefined {
  if (error instanceof StartError) return error;
  const text = String(error);
  if (/ENOSPC|EDQUOT|No space left|disk quota/i.test(text)) {
    return new StartError(
      `The disk that holds ${folder} is full: free some space and start again.`,
    );
  }
  if (/EROFS|read-only file system/i.test(text)) {
    return new StartError(
      `The folder ${folder} is on a read-only disk: set DATA_DIR to another folder.`,
    );
  }
  if (/ENOTDIR|EEXIST|ENOENT/.test(text)) {
    return new StartError(
      `The folder ${folder} cannot be made: a file is in its way, or its disk cannot be written. Set DATA_DIR to another folder.`,
    );
  }
  if (/EACCES|EPERM|permission denied/i.test(text)) {
    return new StartError(
      `The folder ${folder} may not be used by this user: change its owner, or set DATA_DIR to another folder.`,
    );
  }
  return undefined;
}
