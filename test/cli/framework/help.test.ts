/** The help of every command, from the same description that its arguments are parsed with. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commands, groups } from '../../../src/cli/commands.ts';
import type { Command, OptionSpec } from '../../../src/cli/framework/command.ts';
import { readWords } from '../../../src/cli/framework/read-words.ts';
import { widthOf } from '../../../src/cli/framework/screen.ts';
import { runCommandHere } from '../../support/command-here.ts';

const widths = [120, 80, 40];

for (const command of commands) {
  const name = command.name.join(' ');

  test(`${name} --help describes the command, every argument and every option, with examples`, async () => {
    const help = await read([...command.name, '--help'], 80);
    const inOneLine = help.replaceAll(/\s+/g, ' ');
    assert.ok(help.startsWith(`Usage: npm run --silent cli -- ${name}`));
    assert.ok(inOneLine.includes(command.description.replaceAll(/\s+/g, ' ')));
    for (const argument of command.arguments) {
      assert.ok(inOneLine.includes(`${argument.name} ${argument.text}`), argument.name);
    }
    for (const [option, spec] of Object.entries(command.options)) {
      assert.match(spec.text, /^[A-Z].+\.$/, option);
      assert.ok(inOneLine.includes(`${termOf(option, spec)} ${spec.text}`), option);
    }
    assert.match(help, new RegExp(`\\n\\nExamples:\\n {2}npm run --silent cli -- ${name}`));
    assert.equal(await read(['help', ...command.name], 80), help);
  });

  test(`no line of the help of ${name} is wider than the terminal`, async () => {
    for (const columns of widths)
      assertFits(await read([...command.name, '--help'], columns), columns);
    // Without a terminal the width is 80.
    assertFits(await read([...command.name, '--help'], undefined), 80);
  });

  test(`the examples of ${name} are parsed as they stand`, () => {
    assert.ok(command.examples.length > 0);
    for (const example of command.examples) parseExample(command, example);
  });
}

test('docs/contract.md lists every command', async () => {
  const contract = await readFile(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
  const [, paragraph = ''] = /^\*\*1\.6\*\* ([\s\S]*?)^\*\*1\.7\*\* /m.exec(contract) ?? [];
  const listed = commands.filter(({ name }) => paragraph.includes(`\`${name.join(' ')}`));
  assert.deepEqual(listed, commands);
});

test('a long example is broken where a shell joins the lines again', async () => {
  const help = await read(['account', 'create', '--help'], 40);
  const [, examples = ''] = help.split('Examples:\n');
  assert.match(examples, /^ {2}npm run --silent cli -- account \\\n {4}create --name "Tea shop"\n/);
});

test('the help of a group lists its commands, and the overview all of them in 80 columns', async () => {
  const overview = await read(['--help'], 80);
  assert.equal(await read([], 80), overview);
  assert.equal(await read(['help'], 80), overview);
  for (const { name, summary } of commands) {
    const line = overview.split('\n').find((text) => text.startsWith(`  ${name.join(' ')}  `));
    assert.ok(line?.endsWith(summary), name.join(' '));
  }
  for (const columns of widths) assertFits(await read(['--help'], columns), columns);
  for (const { name } of groups) {
    const own = commands.filter((command) => command.name[0] === name);
    assert.ok(own.length > 0, name);
    for (const words of [
      [name, '--help'],
      ['help', name],
      [name, '-h'],
    ]) {
      const help = await read(words, 40);
      assertFits(help, 40);
      for (const command of own) assert.ok(help.includes(command.name.join(' ')));
    }
  }
});

test('help needs neither settings nor a database, and comes before mistakes', async () => {
  const env = { PORT: 'none', DATABASE_URL: 'nowhere' };
  const { code, stderr } = await runCommandHere(['order', 'list', '--colour', '--help'], env);
  assert.deepEqual([code, stderr], [0, '']);
});

test('headings are bold on a terminal, unless NO_COLOR is set', async () => {
  const words = ['order', 'list', '--help'];
  const escapeCode = '\u001b';
  const bold = `${escapeCode}[1mOptions:${escapeCode}[22m`;
  assert.ok((await runCommandHere(words, {}, 80)).stdout.includes(bold));
  const plain = await runCommandHere(words, { NO_COLOR: '1' }, 80);
  assert.ok(!plain.stdout.includes(escapeCode));
  assert.ok(!(await runCommandHere(words, {})).stdout.includes(escapeCode));
});

async function read(words: readonly string[], columns: number | undefined): Promise<string> {
  const { code, stdout, stderr } = await runCommandHere(words, { NO_COLOR: '1' }, columns);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  return stdout;
}

function termOf(name: string, spec: OptionSpec): string {
  if (spec.value !== undefined) return `--${name} ${spec.value}`;
  return spec.isNegatable ? `--[no-]${name}` : `--${name}`;
}

function assertFits(text: string, columns: number): void {
  const wide = text.split('\n').filter((line) => widthOf(line) > columns);
  assert.deepEqual(wide, []);
}

function parseExample(command: Command, example: string): void {
  const [call = ''] = example.split(' < ');
  const words = (call.match(/(?:[^\s"]|"[^"]*")+/g) ?? []).map((word) => word.replaceAll('"', ''));
  assert.deepEqual(words.slice(0, command.name.length), command.name);
  readWords(command, words.slice(command.name.length));
}
