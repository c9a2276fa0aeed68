/** The files of a release: the bill of materials names what runs, and a base that may change is refused. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectDir } from '../../../tools/harness/project.ts';
import { checkBaseImage } from '../../../tools/release/base-image.ts';
import { createBillOfMaterials } from '../../../tools/release/bill-of-materials.ts';

test('the bill of materials names every package that runs, with its digest, and none of development', async () => {
  const { bomFormat, metadata, components, dependencies } = await createBillOfMaterials();
  assert.equal(bomFormat, 'CycloneDX');
  const { name, version } = JSON.parse(await readFile(join(projectDir, 'package.json'), 'utf8'));
  assert.deepEqual([metadata.component.name, metadata.component.version], [name, version]);
  assert.equal(metadata.component.type, 'application');

  const lock = JSON.parse(await readFile(join(projectDir, 'package-lock.json'), 'utf8'));
  type Locked = { version: string; integrity: string; dev?: boolean; link?: boolean };
  const expected = new Map<string, string>();
  for (const [path, entry] of Object.entries<Locked>(lock.packages)) {
    if (!path.startsWith('node_modules/') || entry.dev || entry.link) continue;
    const id = `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${entry.version}`;
    const digest = Buffer.from(entry.integrity.replace('sha512-', ''), 'base64');
    expected.set(id, digest.toString('hex'));
  }
  assert.ok(expected.size > 100);
  const listed = new Map(
    components.map((one) => [`${one.name}@${one.version}`, one.hashes?.[0]?.content ?? '']),
  );
  assert.deepEqual([...listed].sort(), [...expected].sort());

  const refs = new Set([metadata.component, ...components].map((one) => one['bom-ref']));
  for (const { ref, dependsOn } of dependencies) {
    assert.deepEqual(
      [ref, ...dependsOn].filter((one) => !refs.has(one)),
      [],
    );
  }
  assert.equal(dependencies.length, refs.size);
});

test('a release is refused if its base image is not pinned, or has another Node.js', () => {
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
  checkBaseImage(`node:24.1.2-bookworm-slim@${digest}`, '24.1.2');
  for (const image of ['node:24-slim', 'node:24.1.2-bookworm-slim', `node@${digest}`])
    assert.throws(() => checkBaseImage(image, '24.1.2'), /is not pinned: name the base as/);
  assert.throws(
    () => checkBaseImage(`node:24.1.2-bookworm-slim@${digest}`, '24.1.3'),
    /The base has Node\.js 24\.1\.2, and package\.json pins 24\.1\.3/,
  );
});
