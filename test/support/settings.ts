/** The environment variables that the program reads, from its source. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../../tools/harness/project.ts';

/** A secret may also be in a file, which the variable with `_FILE` names. */
export async function listSettings(): Promise<string[]> {
  const config = await readFile(join(projectDir, 'src/process/config.ts'), 'utf8');
  return [...config.matchAll(/(\w+)\(env, '([A-Z_]+)'/g)].flatMap(([, read, name = '']) =>
    read === 'readSecret' ? [name, `${name}_FILE`] : [name],
  );
}
