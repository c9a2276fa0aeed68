/** The folder that holds everything of the embedded mode: the lock, the master key, the database. */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../domain/start-error.ts';

export type DataFolderLock = { readonly release: () => void };

/**
 * Makes sure that one service uses the folder. The lock is the operating system's own, taken
 * through SQLite since Node offers no other way to it: the kernel gives it back however the
 * process ends, so nothing can be left stale by SIGKILL, a zombie or a lost machine.
 */
export async function lockDataFolder(dataDir: string): Promise<DataFolderLock> {
  const path = join(dataDir, 'service.lock');
  await explainingTrouble(dataDir, async () => {
    await makeFolder(dataDir);
    // SQLite would not say why it cannot.
    await (await open(path, 'a')).close();
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
    if (/locked/.test(String(error))) {
      throw new StartError(
        `The data folder ${dataDir} is in use by another running service: stop that one, or set DATA_DIR to another folder.`,
      );
    }
    throw new StartError(`The data folder ${dataDir} cannot be locked: ${String(error)}.`);
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

/**
 * Decision 1.4: the embedded mode makes its own master key, readable by its owner only. One key a
 * line, the current one first; the others are those of rotations.
 */
export async function readOrCreateMasterKeys(dataDir: string): Promise<string[]> {
  const path = masterKeyFile(dataDir);
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== undefined)
    return found
      .trim()
      .split('\n')
      .map((hex) => checkMasterKey(hex, path));
  return addMasterKey(dataDir, []);
}

/** Puts a new key before the ones there are. */
export async function addMasterKey(dataDir: string, known: readonly string[]): Promise<string[]> {
  const keys = [randomBytes(32).toString('hex'), ...known];
  await explainingTrouble(dataDir, () =>
    writeDurably(masterKeyFile(dataDir), `${keys.join('\n')}\n`),
  );
  return keys;
}

function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

function checkMasterKey(hex: string, path: string): string {
  if (/^[0-9a-f]{64}$/i.test(hex)) return hex;
  throw new StartError(
    `The file ${path} must hold 64 hexadecimal digits: restore it from a backup.`,
  );
}

/** Whole or not at all: a key that a crash cut short would lock the owner out. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(`${path}.new`, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}

/** Turns the troubles a folder can have into the sentence that names the remedy. */
export async function explainingTrouble<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw explainFolderTrouble(folder, error) ?? error;
  }
}

export function explainFolderTrouble(folder: string, error: unknown): StartError | undefined {
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
