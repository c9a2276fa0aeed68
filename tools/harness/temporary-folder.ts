/** A folder in the machine's folder for temporary files, for as long as a tool or a test runs. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function makeTemporaryFolder(prefix: string, mode = 0o700) {
  const path = await mkdtemp(join(tmpdir(), prefix));
  await chmod(path, mode);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
