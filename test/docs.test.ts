/** Documents that repeat what the code says are kept equal to it. */

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { type ErrorCode, errorTable } from '../src/domain/errors.ts';
import { deliveryStates } from '../src/domain/inbox/delivery.ts';
import { reviewFlags, reviewReasons } from '../src/domain/inbox/review-reasons.ts';
import { failureTable } from '../src/domain/payments/failure.ts';
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
  assert.deepEqual(commands, ['npm ci', 'npm run types', 'npm run lint', 'npm test']);
  const written = commands.map((command) => `\`${command}\``).join(', ');
  assert.ok(guide.includes(`\`.ci/run\` passes: ${written}.`));
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
    ['3.14', OrderReply],
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

test('the README names the two commands and every setting', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  assert.ok(readme.includes('npm ci && npm start'));
  assert.ok(readme.includes('npm ci && npm test'));
  const settings = await listSettings();
  assert.ok(settings.length >= 8);
  assert.deepEqual(
    settings.filter((name) => !readme.includes(`\`${name}\``)),
    [],
  );
});

test('test/README.md names every folder of tests, and only paths that exist', async () => {
  const text = await readFile(join(root, 'test/README.md'), 'utf8');
  const entries = await readdir(join(root, 'test'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(
    folders.filter((name) => !text.includes(`| \`test/${name}/\` |`)),
    [],
  );
  const paths = [...text.matchAll(/\b(?:test|src|docs)\/[\w./-]*[\w/]/g)].map(([path]) => path);
  assert.ok(paths.length > 100, `${paths.length} paths are read`);
  assert.deepEqual(
    [...new Set(paths)].filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test('test/README.md says where every use case is proven', async () => {
  const text = await readFile(join(root, 'test/README.md'), 'utf8');
  const unproven: string[] = [];
  for (const file of globSync('src/use-cases/*/*.ts', { cwd: root })) {
    // A use case is its verb: create-order.ts exports createOrder.
    const name = basename(file, '.ts').replace(/-(.)/g, (_, letter: string) =>
      letter.toUpperCase(),
    );
    const code = await readFile(join(root, file), 'utf8');
    const isUseCase = new RegExp(`^export (async function|function|const) ${name}\\b`, 'm').test(
      code,
    );
    if (isUseCase && !text.includes(`| \`${file}\` | \`test/`)) unproven.push(file);
  }
  assert.deepEqual(unproven, []);
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
