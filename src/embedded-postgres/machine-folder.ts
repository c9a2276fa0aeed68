/**
 * A machine-wide folder for programs and data that the database's user cannot reach, such as a checkout below /root. The
 * alternative, a privilege to enter every folder, would let the server read every file of the machine.
 */
import { execFile } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { cp, lstat, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../domain/start-error.ts';
import type { Programs } from './postgres-process.ts';
import { findClosedFolder, type ServerUser } from './server-user.ts';

const machineFolder = '/var/lib/payment-order-service';

/** Creates an empty folder for a database. `closed` is the folder that the database's user cannot enter. */
export async function makeDatabaseFolder(dataDir: string, closed: string): Promise<string> {
  const words = dataDir.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name = [...words.slice(-3), randomBytes(4).toString('hex')].join('-');
  await makeMachineFolder(closed);
  await mkdir(join(machineFolder, name), { mode: 0o711 });
  return name;
}

/** Takes only the base name, so that a changed file cannot lead to another folder. */
export function databaseFolderOf(name: string): string {
  return join(machineFolder, basename(name));
}

/** The programs where the server's user can run them: as installed, or a copy that is made once per version. */
export async function reachablePrograms(programs: Programs, user: ServerUser): Promise<Programs> {
  const closed = user.ids && (await findClosedFolder(user, programs.postgres));
  if (!closed) return programs;
  const native = dirname(dirname(programs.postgres));
  const digest = hash('sha256', await readFile(programs.postgres));
  const copy = join(machineFolder, `postgresql-${digest.slice(0, 16)}`);
  const isCopied = await stat(copy).catch(() => undefined);
  if (!isCopied) {
    await makeMachineFolder(closed);
    await copyPrograms(native, copy);
  }
  const inCopy = (path: string) => join(copy, 'bin', basename(path));
  return { initdb: inCopy(programs.initdb), postgres: inCopy(programs.postgres) };
}

/** Copies to a temporary name and renames, so that a copy that a crash left incomplete is never run. */
async function copyPrograms(native: string, copy: string): Promise<void> {
  const aside = `${copy}.${randomBytes(4).toString('hex')}`;
  await cp(native, aside, { recursive: true, verbatimSymlinks: true });
  await promisify(execFile)('chmod', ['-R', 'a+rX,go-w', aside]);
  await rename(aside, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(aside, { recursive: true, force: true });
    // Another service made the same copy first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

async function makeMachineFolder(closed: string): Promise<void> {
  const remedy = `run "chmod o+x ${closed}", or set DATA_DIR to a folder that other users can enter`;
  const why = `The user that the database runs as cannot enter the folder ${closed}`;
  await mkdir(machineFolder, { recursive: true, mode: 0o755 }).catch((error: Error) => {
    throw new StartError(
      `${why}, and ${machineFolder} cannot be created (${error.message}): ${remedy}.`,
    );
  });
  const { uid, mode } = await lstat(machineFolder);
  if (uid !== 0 || (mode & 0o022) !== 0) {
    throw new StartError(
      `${why}, and users other than root can write to ${machineFolder}: ${remedy}.`,
    );
  }
}
