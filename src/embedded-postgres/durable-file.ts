/**
 * Files that are written completely or not at all, and safe changes of owner: through an open handle, because the owner of
 * a folder could otherwise replace a file with a link and make root change another file.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export type Ids = { readonly uid: number; readonly gid: number };

/** Replaces the file, readable by its owner only. Without an owner it keeps the one it had. */
export async function writeDurably(path: string, text: string, owner?: Ids): Promise<void> {
  const aside = `${path}.new`;
  const former = await lstat(path).catch(() => undefined);
  // Left by a crash.
  await rm(aside, { force: true });
  const file = await open(aside, 'wx', 0o600);
  await file.chmod(0o600);
  const { uid, gid } = owner ?? former ?? (await file.stat());
  await file.chown(uid, gid);
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(aside, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync();
  await folder.close();
}

/** Creates the folder unless it exists. Throws for a link, and for a folder of another user. */
export async function makeOwnFolder(
  path: string,
  { owner, mode }: { readonly owner: Ids | undefined; readonly mode: number },
): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const folder = await openNoFollow(path, constants.O_DIRECTORY);
  try {
    const { uid } = await folder.stat();
    if (uid !== process.getuid?.() && uid !== owner?.uid) throw new Error(`${path} is not ours`);
    if (owner) await folder.chown(owner.uid, owner.gid);
    await folder.chmod(mode);
  } finally {
    await folder.close();
  }
}

/** Leaves links alone, symbolic and hard ones: they could lead to a file outside the folder. */
export async function changeFileOwner(path: string, { uid, gid }: Ids): Promise<void> {
  const file = await openNoFollow(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined;
    throw error;
  });
  if (!file) return;
  try {
    const found = await file.stat();
    if (found.isFile() && found.nlink === 1) await file.chown(uid, gid);
  } finally {
    await file.close();
  }
}

function openNoFollow(path: string, flags = 0) {
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | flags);
}
