/** Style as a test: who may import whom, files of a readable length, nothing left open. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { providers } from '../src/providers/providers.ts';
import { filesOf, groupNames } from './support/groups.ts';

const root = new URL('../', import.meta.url).pathname;

/** A layer of src and the layers it may import from, besides itself. '' is src itself. */
const data = ['domain', 'security', 'postgres', 'store', 'providers', 'services', 'use-cases'];
const layers: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  security: ['domain'],
  postgres: ['domain'],
  'embedded-postgres': ['domain', 'postgres'],
  store: ['domain', 'postgres'],
  providers: ['domain', 'security'],
  services: ['domain', 'security', 'postgres', 'store', 'providers'],
  'use-cases': data,
  http: ['domain', 'security', 'services', 'use-cases'],
  tracing: ['domain', 'postgres', 'providers', 'services'],
  process: [...data, 'embedded-postgres', 'http', 'tracing'],
  cli: [...data, 'embedded-postgres', 'process'],
  '': ['domain', 'process'],
};

/** The subjects of a layer, lowest first: each may import those before it. '' is the folder itself. */
const subjects: Readonly<Record<string, readonly string[]>> = {
  domain: [
    '',
    'json',
    'cards',
    'money',
    'accounts',
    'orders',
    'disputes',
    'payments',
    'order-state',
    'consumers',
    'users',
    'inbox',
    'events',
    'why',
    'reports',
  ],
  store: [
    '',
    'accounts',
    'payments',
    'inbox',
    'disputes',
    'orders',
    'events',
    'users',
    'reports',
    'consumers',
    'upkeep',
  ],
  'use-cases': [
    'order-state',
    'accounts',
    'inbox',
    'orders',
    'payments',
    'checkout',
    'consumers',
    'events',
    'users',
    'review',
    'disputes',
    'reports',
    'upkeep',
    '',
  ],
  http: ['', 'open-api', 'merchant', 'webhooks', 'operator', 'checkout', 'dashboard'],
  cli: [
    'framework',
    'accounts',
    'inbox',
    'consumers',
    'orders',
    'disputes',
    'events',
    'users',
    'reports',
    'upkeep',
    '',
  ],
};
/** A top folder and the other top folders it may import from; nothing but the tests imports the tests. */
const topMayImport: Readonly<Record<string, readonly string[]>> = {
  src: [],
  client: [],
  simulator: ['src', 'client'],
  tools: ['src', 'simulator', 'client'],
};
/** A folder of tools and the others it may import from: what several of them need is in the harness. */
const toolMayImport: Readonly<Record<string, readonly string[]>> = {
  harness: [],
  bench: ['harness'],
  demo: ['harness'],
  soak: ['harness', 'demo'],
  cluster: ['harness'],
  deploy: ['harness', 'demo'],
  screenshots: ['harness', 'demo'],
  release: ['harness'],
  'client-types': ['harness'],
  openapi: [],
};
const linesMax = 300;
const functionLinesMax = 70;

test('every layer imports only from the layers below it', async () => {
  const forbidden: string[] = [];
  for (const file of await listFiles('src')) {
    const layer = layerOf(file);
    const allowed = layers[layer];
    assert.ok(allowed, `src/${layer} has no line in the table of layers`);
    for (const target of await importsOf(file)) {
      const other = layerOf(target);
      if (other !== layer && !allowed.includes(other)) forbidden.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(forbidden, []);
});

test('every subject of a layer imports only from the subjects below it', async () => {
  const forbidden: string[] = [];
  for (const [layer, order] of Object.entries(subjects)) {
    for (const file of await listFiles(`src/${layer}`)) {
      const index = order.indexOf(subjectOf(file));
      assert.ok(index >= 0, `${file} is in no subject of the table`);
      for (const target of await importsOf(file)) {
        if (layerOf(target) !== layer) continue;
        if (order.indexOf(subjectOf(target)) > index) forbidden.push(`${file} imports ${target}`);
      }
    }
  }
  assert.deepEqual(forbidden, []);
});

test('the files of the inbox import only files of later steps', async () => {
  const folder = 'src/use-cases/inbox';
  const text = await readFile(join(root, folder, 'store-batch.ts'), 'utf8');
  const steps = [...text.matchAll(/^ \* {3}([a-z-]+) {2,}/gm)].map(
    (match) => `${folder}/${match[1]}.ts`,
  );
  const files = await listFiles(folder);
  assert.deepEqual(
    steps.filter((file) => !files.includes(file)),
    [],
  );
  const backwards: string[] = [];
  for (const [index, file] of steps.entries()) {
    for (const target of await importsOf(file)) {
      if (steps.slice(0, index).includes(target)) backwards.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(backwards, []);
});

test('the service imports no tool and no test, and the tools import no test', async () => {
  const forbidden: string[] = [];
  for (const [top, allowed] of Object.entries(topMayImport)) {
    for (const file of await listFiles(top)) {
      for (const target of await importsOf(file)) {
        const other = topOf(target);
        if (other !== top && !allowed.includes(other)) forbidden.push(`${file} imports ${target}`);
      }
    }
  }
  assert.deepEqual(forbidden, []);
});

test('the tools share code through the harness, which knows none of them', async () => {
  const forbidden: string[] = [];
  for (const file of await listFiles('tools')) {
    const tool = layerOf(file);
    const allowed = toolMayImport[tool];
    assert.ok(allowed, `tools/${tool} has no line in the table of tools`);
    for (const target of await importsOf(file)) {
      const other = layerOf(target);
      if (topOf(target) === 'tools' && other !== tool && !allowed.includes(other)) {
        forbidden.push(`${file} imports ${target}`);
      }
    }
  }
  assert.deepEqual(forbidden, []);
});

test('tools and tests start processes through the harness alone', async () => {
  const starters: string[] = [];
  for (const file of [...(await listFiles('tools')), ...(await listFiles('test'))]) {
    const text = await readFile(join(root, file), 'utf8');
    if (/import \{[^}]*\bspawn\b[^}]*\} from 'node:child_process'/.test(text)) starters.push(file);
  }
  // One test makes a zombie, which is no service; one runs the tests; one is a shell for documented commands.
  assert.deepEqual(starters, [
    'tools/harness/launch.ts',
    'test/run.ts',
    'test/slow/process/recovery.test.ts',
    'test/support/shell.ts',
  ]);
});

test('no files import each other in a circle, type imports included', async () => {
  const imports = new Map<string, string[]>();
  for (const file of (await Promise.all(['src', 'simulator', 'tools'].map(listFiles))).flat()) {
    imports.set(file, await importsOf(file));
  }
  const reached = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (reached.get(file) === 'open') {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    }
    if (reached.has(file)) return;
    reached.set(file, 'open');
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    reached.set(file, 'done');
  };
  for (const file of imports.keys()) visit(file, []);
  assert.deepEqual(circles, []);
});

test('only the composition root and the process import http', async () => {
  const importers = [];
  for (const file of await listFiles('src')) {
    if (layerOf(file) === 'http') continue;
    if ((await importsOf(file)).some((target) => layerOf(target) === 'http')) importers.push(file);
  }
  assert.deepEqual(importers, [
    'src/process/app.ts',
    'src/process/create-services.ts',
    'src/process/serve.ts',
    'src/process/workers.ts',
  ]);
});

test('every export is imported somewhere, and every file is reached', async () => {
  const folders = ['src', 'simulator', 'tools', 'test', 'client', 'dashboard', 'checkout'];
  const files = (await Promise.all(folders.map(listFiles))).flat();
  const texts = new Map(
    [...files, 'package.json', 'Dockerfile'].map((file) => [
      file,
      readFileSync(join(root, file), 'utf8'),
    ]),
  );
  const imported = new Map<string, Set<string>>();
  for (const file of files) {
    for (const [target, name] of importedNamesOf(texts.get(file) ?? '')) {
      const path = join(dirname(file), target);
      imported.set(path, (imported.get(path) ?? new Set()).add(name));
    }
  }
  const unused: string[] = [];
  for (const file of files.filter((path) => /^(src|simulator|tools)\//.test(path))) {
    const names = imported.get(file);
    // Others start the file by its path.
    const isStarted = [...texts].some(([path, text]) => path !== file && text.includes(file));
    if (!names && !isStarted) unused.push(file);
    const exports = /^export (?:async )?(?:const|let|function\*?|type|class) (\w+)/gm;
    for (const [, name = ''] of names?.has('*') ? [] : (texts.get(file) ?? '').matchAll(exports)) {
      if (!names?.has(name)) unused.push(`${name} of ${file}`);
    }
  }
  assert.deepEqual(unused, []);
});

test('the simulator shares no code with what it tries, but for the file that finds the shops', async () => {
  const sharers = [];
  for (const file of await listFiles('simulator')) {
    const targets = await importsOf(file);
    if (targets.some((target) => target.startsWith('src/'))) sharers.push(file);
  }
  assert.deepEqual(sharers, ['simulator/service-shops.ts']);
});

test('no test file is in two of the groups that share a process, and no group is empty', () => {
  const files = groupNames.map(filesOf);
  assert.ok(files.every((group) => group.length > 1));
  assert.deepEqual(files.flat().toSorted(), [...new Set(files.flat())].toSorted());
});

test('every test file prepares everything before its first test', () => {
  // The run of a file ends with the tests that it has defined so far, also while it waits for something.
  const waits = /^(?:const|let|await|for)\b.*\bawait\b(?!.*=>)/m;
  const loops = /^for (?:(?!^\}).*\n)*\}/gm;
  const late = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const [, ...afterFirst] = text.split(/^(?: {2})?(?:test|describe)\(/m);
    const ofTests = [...text.matchAll(loops)]
      .map(([loop]) => loop)
      .filter((loop) => /^ +test\(/m.test(loop));
    return (
      waits.test(afterFirst.join('\n')) ||
      ofTests.some((loop) => /^ {2}(?:const .*= )?await\b/m.test(loop))
    );
  });
  assert.deepEqual(late, []);
});

test('every source file opens by saying what it is for, and stays readable', async () => {
  const troubles = [];
  const folders = ['src', 'simulator', 'tools'];
  for (const file of (await Promise.all(folders.map(listFiles))).flat()) {
    const text = await readFile(join(root, file), 'utf8');
    if (!text.startsWith('/**')) troubles.push(`${file} does not say what it is for`);
    if (text.split('\n').length > linesMax)
      troubles.push(`${file} is longer than ${linesMax} lines`);
    for (const { name, lines } of functionsOf(text)) {
      if (lines > functionLinesMax) troubles.push(`${name} in ${file} has ${lines} lines`);
    }
    if (/\b(TODO|FIXME|HACK)\b/.test(text)) troubles.push(`${file} leaves something open`);
  }
  assert.deepEqual(troubles, []);
});

test('the database is asked by the store alone', async () => {
  const writers = [];
  for (const file of await listFiles('src')) {
    const text = await readFile(join(root, file), 'utf8');
    if (
      /database\.query|tx\.query/.test(text) &&
      !['store', 'postgres', 'embedded-postgres'].includes(layerOf(file))
    )
      writers.push(file);
  }
  assert.deepEqual(writers, []);
});

test('HTTP works with use cases and never with the services behind them', async () => {
  const reaching = [];
  for (const file of await listFiles('src/http')) {
    const text = await readFile(join(root, file), 'utf8');
    if (/\bServices\b|\bDatabase\b/.test(text)) reaching.push(file);
  }
  assert.deepEqual(reaching, []);
});

test('no file outside src/providers names a provider', async () => {
  // `payment_partner` is a public field.
  const words = providers.flatMap(({ name, displayName }) => [name, displayName]);
  const spellings = words.map((word) => word.replaceAll(/[- ]/g, '[-_ ]?'));
  const named = new RegExp(`(?<!payment_)(?:${spellings.join('|')})`, 'i');
  const namers = [];
  for (const file of await listFiles('src')) {
    if (layerOf(file) === 'providers') continue;
    if (named.test(await readFile(join(root, file), 'utf8'))) namers.push(file);
  }
  assert.deepEqual(namers, []);
});

test('the driver of the database is imported by src/postgres alone', async () => {
  const importers = [];
  for (const file of await listFiles('src')) {
    const text = await readFile(join(root, file), 'utf8');
    if (/^import pg from 'pg'/m.test(text)) importers.push(file);
    else if (/from 'pg'/.test(text)) assert.equal(layerOf(file), 'postgres', file);
  }
  assert.deepEqual(importers, [
    'src/postgres/pg-internals.ts',
    'src/postgres/pipelined-statement.ts',
    'src/postgres/pool.ts',
    'src/postgres/probe.ts',
  ]);
});

/** What src/postgres/pg-internals.ts uses of `pg` and its documentation does not promise. */
const undocumentedNames =
  /pg\.Query\b|\bsubmit\(connection|\bhandle(Error|RowDescription|DataRow|CommandComplete|ReadyForQuery)\b|\w+NamedStatements|parsedStatements|\.connection\b.*\.stream|\bconnection\.(sync|describe|stream)|pipeline: (true|options)|\.options\.max\b/;

test('undocumented parts of the driver are named in pg-internals.ts alone', async () => {
  const users = [];
  for (const file of await listFiles('src')) {
    if (undocumentedNames.test(await readFile(join(root, file), 'utf8'))) users.push(file);
  }
  assert.deepEqual(users, ['src/postgres/pg-internals.ts']);
});

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true });
  return entries
    .filter((entry) => /\.[jt]s$/.test(entry) && !entry.includes('node_modules/'))
    .map((entry) => join(folder, entry))
    .sort();
}

/** Functions at the top of a file: the formatter puts their last line where the first one begins. */
function functionsOf(text: string): { readonly name: string; readonly lines: number }[] {
  const whole = /^(?:export )?(?:async )?function (\w+)[\s\S]*?^}$/gm;
  return [...text.matchAll(whole)].map(([body, name = '']) => ({
    name,
    lines: body.split('\n').length,
  }));
}

function topOf(file: string): string {
  return file.split('/')[0] ?? '';
}

function layerOf(file: string): string {
  const [, folder = '', ...rest] = file.split('/');
  return rest.length === 0 ? '' : folder;
}

function subjectOf(file: string): string {
  const [, , subject = '', ...rest] = file.split('/');
  return rest.length === 0 ? '' : subject;
}

async function importsOf(file: string): Promise<string[]> {
  const text = await readFile(join(root, file), 'utf8');
  const targets = [...text.matchAll(/(?:from|import\() ?'(\.[^']+\.[jt]s)'/g)].map(
    (match) => match[1] ?? '',
  );
  return targets.map((target) => relative(root, join(root, dirname(file), target)));
}

/** What a file imports or re-exports, as pairs of path and name; `*` for everything. Types in comments count. */
function importedNamesOf(text: string): Array<readonly [target: string, name: string]> {
  const statements =
    /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,?\s*)?(\{[^}]*\}|\*)?[^;'{}*]*from\s*'(\.[^']+)'/g;
  const named = [...text.matchAll(statements)].flatMap(([, list, target = '']) =>
    list === undefined || list === '*'
      ? [[target, '*'] as const]
      : namesIn(list).map((name) => [target, name] as const),
  );
  const dynamic = [...text.matchAll(/import\('(\.[^']+)'\)(?:\.(\w+))?/g)].map(
    ([, target = '', name = '*']) => [target, name === 'then' ? '*' : name] as const,
  );
  return [...named, ...dynamic];
}

function namesIn(list: string): string[] {
  return list
    .slice(1, -1)
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0] ?? '',
    )
    .filter((name) => name !== '');
}
