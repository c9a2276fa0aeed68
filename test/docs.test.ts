/** Documents that repeat what the code says are kept equal to it. */

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ErrorCode, errorTable } from '../src/domain/errors.ts';
import { deliveryStates } from '../src/domain/inbox/delivery.ts';
import { failureTable } from '../src/domain/payments/failure.ts';
import { reviewFlags, reviewReasons } from '../src/domain/review-flag.ts';
import { TransactionReply } from '../src/http/merchant/enquiry-schemas.ts';
import { OrderReply } from '../src/http/merchant/order-reply-schemas.ts';
import { CreateOrderBody } from '../src/http/merchant/order-schemas.ts';
import { providers } from '../src/providers/providers.ts';
import { listSettings } from './support/settings.ts';

const root = new URL('../', import.meta.url).pathname;

test('docs/errors.md lists every error code with its status and words, and no other', async () => {
  const text = await readFile(join(root, 'docs/errors.md'), 'utf8');
  const written = [...text.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \| (.*) \| (.*) \|$/gm)].map(
    ([, code, status, consumer, merchant]) => [code, Number(status), consumer, merchant],
  );
  const expected = (Object.keys(errorTable) as ErrorCode[]).map((code) => {
    const { status, consumerMessage, merchantMessage } = errorTable[code];
    return [code, status, consumerMessage, merchantMessage];
  });
  assert.deepEqual(written, expected);
});

test('CONTRIBUTING.md says what .ci/run runs, which checks types and style before the tests', async () => {
  const program = await readFile(join(root, '.ci/run'), 'utf8');
  const guide = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const commands = program.trimEnd().split('\n').at(-1)?.split(' && ') ?? [];
  assert.deepEqual(commands, ['npm ci', 'npm run check', 'npm run test:slow']);
  for (const command of commands) assert.ok(guide.includes(`\`${command}\``), command);
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const checks = ['npm run types', 'npm run lint', 'npm run lint:openapi', 'npm test'];
  assert.equal(scripts.check, checks.join(' && '));
});

test('every npm script that a document names exists', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const files = globSync('{*.md,docs/**/*.md,test/README.md}', { cwd: root });
  assert.ok(files.length > 50);
  const missing: string[] = [];
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/npm run (?:--silent |-s )?([a-z][\w:-]*)/g))
      if (!(name in scripts)) missing.push(`${file}: ${name}`);
  }
  assert.deepEqual(missing, []);
});

test('docs/states.md explains every flag and every state of a delivery, and no other', async () => {
  const text = await readFile(join(root, 'docs/states.md'), 'utf8');
  const [, flags = '', deliveries = ''] =
    /## Flags\n([\s\S]*)## Delivery\n([\s\S]*)/.exec(text) ?? [];
  const namesIn = (section: string) =>
    [...section.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm)].flatMap(([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
  assert.deepEqual(namesIn(flags).sort(), reviewFlags.toSorted());
  assert.deepEqual(namesIn(deliveries).sort(), deliveryStates.toSorted());
});

test('docs/dashboard.md says what every reason for a review means and what to do', async () => {
  const text = await readFile(join(root, 'docs/dashboard.md'), 'utf8');
  const written = [...text.matchAll(/^\| `([a-z_]+)` \| (.*) \| (.*) \|$/gm)].map(
    ([, reason, sentence, advice]) => [reason, { sentence, advice }],
  );
  assert.deepEqual(written, Object.entries(reviewReasons));
});

test('docs/adding-a-provider.md explains every field that a provider has', async () => {
  const text = await readFile(join(root, 'docs/adding-a-provider.md'), 'utf8');
  const explained = [...text.matchAll(/^\| `(\w+)(?:\([^)]*\))?` \|/gm)].map(([, name]) => name);
  const fields = providers.flatMap((provider) => [
    ...Object.keys(provider),
    ...Object.keys(provider.settings),
  ]);
  assert.deepEqual(
    fields.filter((field) => !explained.includes(field)),
    [],
  );
});

test('docs/contract.md lists every setting, field and code, and no other', async () => {
  const contract = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const firstCells = (paragraph: string) =>
    rowsOf(contract, paragraph).map(([first = '']) => first);
  const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

  assert.deepEqual(firstCells('1.4').flatMap(namesIn).sort(), (await listSettings()).sort());
  for (const [paragraph, { properties }] of [
    ['3.12', CreateOrderBody],
    ['3.15', OrderReply],
    ['5.8', TransactionReply],
  ] as const) {
    assert.deepEqual(firstCells(paragraph).flatMap(namesIn), Object.keys(properties));
  }
  const errors = rowsOf(contract, '8.1').flatMap(([status, codes = '']) =>
    namesIn(codes).map((code) => [code, Number(status)]),
  );
  assert.deepEqual(
    errors,
    Object.entries(errorTable).map(([code, { status }]) => [code, status]),
  );
  assert.deepEqual(
    rowsOf(contract, '8.8').map(([code = '', retry]) => [...namesIn(code), retry]),
    Object.entries(failureTable).map(([code, entry]) => [code, String(entry.retryAllowed)]),
  );
});

test('the README is short, and names the two commands', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  assert.ok(readme.includes('npm ci && npm start'));
  assert.ok(readme.includes('npm ci && npm test'));
  assert.ok(readme.split(/\s+/).length <= 1_000);
});

test('docs/configuration.md has every setting once with its default, as the contract does', async () => {
  const page = await readFile(join(root, 'docs/configuration.md'), 'utf8');
  const contract = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[A-Z].*?) \| (.*?) \| .+ \|$/gm)];
  const names = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  assert.deepEqual(names.sort(), (await listSettings()).sort());
  const defaults = new Map(rows.map(([, cell, value]) => [cell, value]));
  for (const [cell = '', value = ''] of rowsOf(contract, '1.4'))
    if (value.startsWith('`')) assert.equal(defaults.get(cell), value, cell);
});

test('docs/contract.md names the version of Node.js that package.json does', async () => {
  const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const contract = await readFile(join(root, 'docs/contract.md'), 'utf8');
  assert.ok(contract.includes(`\`engines\` is \`${engines.node}\``));
});

test('the table of contents of docs/contract.md has every section', async () => {
  const contract = await readFile(join(root, 'docs/contract.md'), 'utf8');
  const listed = [...contract.matchAll(/^\| \[(\d+)\]\(#\1-\S+\) \| \S/gm)].map(([, n]) => n);
  const sections = [...contract.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number);
  assert.ok(sections.length > 10);
  assert.deepEqual(listed, sections);
});

test('docs/decisions/README.md lists every decision once, and ten of them first', async () => {
  const text = await readFile(join(root, 'docs/decisions/README.md'), 'utf8');
  const [first = '', bySubject = ''] = text.split('\n## By subject\n');
  const linksIn = (part: string) =>
    [...part.matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(([, file]) => file);
  const pages = (await readdir(join(root, 'docs/decisions'))).filter((name) => /^\d/.test(name));
  assert.deepEqual(linksIn(bySubject).sort(), pages.sort());
  assert.equal(linksIn(first).length, 10);
});

test('test/README.md names every folder of tests, and only paths that exist', async () => {
  const text = await readFile(join(root, 'test/README.md'), 'utf8');
  const entries = await readdir(join(root, 'test'), { withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  assert.deepEqual(
    folders.filter((name) => !text.includes(`| \`test/${name}/\` |`)),
    [],
  );
  const paths = [...text.matchAll(/\b(?:test|src|docs)\/[\w./-]*[\w/]/g)].map(([path]) => path);
  assert.ok(paths.length > 40, `${paths.length} paths are read`);
  assert.deepEqual(
    [...new Set(paths)].filter((path) => !existsSync(join(root, path))),
    [],
  );
});

/** The cells of the tables in a numbered paragraph, without their heads. */
function rowsOf(contract: string, paragraph: string): string[][] {
  const [, behind = ''] = contract.split(`\n**${paragraph}** `);
  const [own = ''] = behind.split(/\n(?:\*\*\d|## )/);
  const lines = own.split('\n').filter((line) => line.startsWith('| '));
  // A head stands before the line of dashes.
  const heads = [...own.matchAll(/^(\| .*)\n\|---/gm)].map(([, head]) => head);
  return lines
    .filter((line) => !heads.includes(line))
    .map((line) => line.slice(2, -2).split(' | '));
}
