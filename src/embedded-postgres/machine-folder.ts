/**
 * A folder of our own on the machine, for what the database's user cannot reach where it is: a checkout under
 * /root is closed to everybody else. The server then works on copies and data here, rather than with the
 * privilege to pass closed folders, with which it could read every file there is.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cp, lstat, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../domain/start-error.ts';
import type { Programs } from './postgres-process.ts';
import { findClosedFolder, type ServerUser } from './server-user.ts';

const machineFolder = '/var/lib/payment-order-service';

/** Makes an empty folder for the database of that data folder; `closed` is why it cannot stay there. */
export async function makeDatabaseFolder(dataDir: string, closed: string): Promise<string> {
  const words = dataDir
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const name = [...words.slice(-3), randomBytes(4).toString('hex')].join('-');
  await makeMachineFolder(closed);
  await mkdir(join(machineFolder, name), { mode: 0o711 });
  return name;
}

/** Only by a name: whatever wrote it down must not lead elsewhere. */
export function databaseFolderOf(name: string): string {
  return join(machineFolder, basename(name));
}

/** The programs where the server's user can run them: as they are, or copied once for each version. */
export async function reachablePrograms(programs: Programs, user: ServerUser): Promise<Programs> {
  const closed = user.ids && (await findClosedFolder(user, programs.postgres));
  if (!closed) return programs;
  const native = dirname(dirname(programs.postgres));
  const digest = createHash('sha256')
    .update(await readFile(programs.postgres))
    .digest('hex');
  const copy = join(machineFolder, `postgresql-${digest.slice(0, 16)}`);
  const isCopied = await stat(copy).catch(() => undefined);
  if (!isCopied) {
    await makeMachineFolder(closed);
    await copyPrograms(native, copy);
  }
  const inCopy = (path: string) => join(copy, 'bin', basename(path));
  return { initdb: inCopy(programs.initdb), postgres: inCopy(programs.postgres) };
}

/** Made aside and then named: what a crash left half made is never run. */
async function copyPrograms(native: string, copy: string): Promise<void> {
  const aside = `${copy}.${randomBytes(4).toString('hex')}`;
  await cp(native, aside, { recursive: true, verbatimSymlinks: true });
  await promisify(execFile)('chmod', ['-R', 'a+rX,go-w', aside]);
  await rename(aside, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(aside, { recursive: true, force: true });
    // Another service was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
}

async function makeMachineFolder(closed: string): Promise<void> {
  const remedy = `run "chmod o+x ${closed}", or set DATA_DIR to a folder that others may pass`;
  const why = `The folder ${closed} is closed to the user that the database runs as`;
  await mkdir(machineFolder, { recursive: true, mode: 0o755 }).catch((error: Error) => {
    throw new StartError(
      `${why}, and ${machineFolder} cannot be made (${error.message}): ${remedy}.`,
    );
  });
  const { uid, mode } = await lstat(machineFolder);
  if (uid !== 0 || (mode & 0o022) !== 0) {
    throw new StartError(
      `${why}, and ${machineFolder} can be written by others than root: ${remedy}.`,
    );
  }
}
