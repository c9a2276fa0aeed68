/** Small files that must survive a crash: whole or not at all, and readable by their owner only. */
import { chown, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Replaces the file, which keeps the owner it had. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const aside = `${path}.new`;
  const former = await stat(path).catch(() => undefined);
  // A crash may have left one. It is made anew, so that a link in its place is never followed.
  await rm(aside, { force: true });
  const file = await open(aside, 'wx', 0o600);
  await file.chmod(0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  if (former) await chown(aside, former.uid, former.gid);
  await rename(aside, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync();
  await folder.close();
}
