/** The migrations of this release and one more, in a folder of their own, as the next release would bring them. */
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { createTemporaryFolder } from './service-process.ts';

const shipped = new URL('../../migrations/', import.meta.url);

export async function addMigration(sql: string): Promise<{ folder: URL; name: string }> {
  const folder = pathToFileURL(`${await createTemporaryFolder()}/`);
  const names = (await readdir(shipped)).sort();
  for (const name of names) await copyFile(new URL(name, shipped), new URL(name, folder));
  const name = `${String(names.length + 1).padStart(4, '0')}-one-more.sql`;
  await writeFile(new URL(name, folder), sql);
  return { folder, name };
}
