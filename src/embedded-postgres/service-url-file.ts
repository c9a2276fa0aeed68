/** The URL of the running service, for the command line, which does not have the service's environment. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from './durable-file.ts';

export const serviceUrlFile = 'service.url';

/** Only the holder of the folder's lock may call this. A failure is not worth a failed start. */
export async function writeServiceUrl(dataDir: string, publicUrl: string): Promise<void> {
  const path = join(dataDir, serviceUrlFile);
  try {
    // The file of an earlier start may belong to another user.
    await rm(path, { force: true });
    await writeDurably(path, `${publicUrl}\n`);
  } catch {
    // The command line then uses its own settings.
  }
}

export async function findServiceUrl(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, serviceUrlFile), 'utf8').catch(() => '');
  return text.trim() || undefined;
}
