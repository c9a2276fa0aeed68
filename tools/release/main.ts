/**
 * `npm run release:files`: checks what a release must not leave open, and writes its bill of materials to `release/`.
 * docs/release-checklist.md says what to do with it.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../harness/project.ts';
import { checkBaseImage } from './base-image.ts';
import { createBillOfMaterials } from './bill-of-materials.ts';

const read = (file: string) => readFile(join(projectDir, file), 'utf8');

try {
  const { name, version, dependencies } = JSON.parse(await read('package.json'));
  const [, base = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(await read('Dockerfile')) ?? [];
  checkBaseImage(base, dependencies.node);
  const folder = join(projectDir, 'release');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}-${version}.cdx.json`);
  await writeFile(file, `${JSON.stringify(await createBillOfMaterials(), null, 2)}\n`);
  console.log(file);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
