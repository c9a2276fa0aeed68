/** The master keys of the embedded mode: one per line, the current key first, then the previous ones. Contract 1.4. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../domain/start-error.ts';
import { explainingErrors, lockFile } from './data-folder.ts';
import { hasDatabase, isThere } from './database-folder.ts';
import { writeDurably } from './durable-file.ts';

/** Creates a key at the very first start only. A file that is missing later is never replaced: the data needs its key. */
export async function makeMasterKeyOnce(dataDir: string): Promise<void> {
  if ((await isThere(fileIn(dataDir))) || (await hasDatabase(dataDir))) return;
  await writeMasterKeys(dataDir, [newKey()]);
}

export async function readMasterKeys(dataDir: string): Promise<string[]> {
  const path = fileIn(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(
      `The file ${path} cannot be read (${error.code}): without it every stored secret is lost. Restore it from a backup, or restore its owner.`,
    );
  });
  const keys = text.trim().split('\n');
  if (keys.every((hex) => /^[0-9a-f]{64}$/i.test(hex))) return keys;
  throw new StartError(
    `The file ${path} must hold 64 hexadecimal digits a line: restore it from a backup.`,
  );
}

/** Adds a new current key, then runs `work`. The lock ends the race of two rotations, which would lose one of the keys. */
export async function rotatingMasterKey<Result>(dataDir: string, work: () => Promise<Result>) {
  const lock = await lockFile(
    dataDir,
    'rotation.lock',
    'Another rotation of the master key is running: wait for it to end.',
  );
  try {
    await writeMasterKeys(dataDir, [newKey(), ...(await readMasterKeys(dataDir))]);
    return await work();
  } finally {
    lock.release();
  }
}

async function writeMasterKeys(dataDir: string, keys: readonly string[]): Promise<void> {
  await explainingErrors(dataDir, () => writeDurably(fileIn(dataDir), `${keys.join('\n')}\n`));
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'master.key');
}

function newKey(): string {
  return randomBytes(32).toString('hex');
}
