/** Finds a program that this project does not contain: in the PATH, or where Debian has those of root. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function findProgram(name: string): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
}
