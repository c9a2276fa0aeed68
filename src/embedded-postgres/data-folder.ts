/** The data folder of the embedded mode: how it is created and locked, and errors that explain how to fix it. */
import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../domain/start-error.ts';

/**
 * Ends the race of two services for one folder. This is a file lock of the operating system, taken through SQLite because
 * Node has no API for it. The kernel releases it however the process ends, so a lock is never stale.
 */
export function lockDataFolder(dataDir: string) {
  return lockFile(
    dataDir,
    'service.lock',
    `The data folder ${dataDir} is in use by another running service: stop that one, or set DATA_DIR to another folder.`,
  );
}

export async function lockFile(dataDir: string, name: string, messageWhenTaken: string) {
  const path = join(dataDir, name);
  await explainingErrors(dataDir, async () => {
    await makeFolder(dataDir);
    // SQLite would create the file too, but its errors do not say what is wrong.
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
    if (/locked/.test(String(error))) throw new StartError(messageWhenTaken);
    throw new StartError(`The data folder ${dataDir} cannot be locked: ${String(error)}.`);
  }
}

/** The file gets the owner of the folder, so that this user can lock it later even if root created it. */
async function makeLockFile(dataDir: string, path: string): Promise<void> {
  const { uid } = await stat(dataDir);
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW);
  try {
    const found = await file.stat();
    const mayChange = process.getuid?.() === 0 && found.isFile() && found.nlink === 1;
    if (mayChange && found.uid !== uid) await file.chown(uid, found.gid);
  } finally {
    await file.close();
  }
}

/** Creates one folder at a time, because a recursive `mkdir` reports a read-only disk as a missing folder. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (folder !== dirname(folder)) await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || found) throw error;
  });
}

/** Turns the errors of a folder into messages that say how to fix them. */
export async function explainingErrors<Result>(folder: string, work: () => Promise<Result>) {
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
      `The folder ${folder} cannot be created: a file has the same name, or the disk is not writable. Set DATA_DIR to another folder.`,
    );
  }
  if (/EACCES|EPERM|permission denied/i.test(text)) {
    return new StartError(
      `The folder ${folder} may not be used by this user: change its owner, or set DATA_DIR to another folder.`,
    );
  }
  return undefined;
}
