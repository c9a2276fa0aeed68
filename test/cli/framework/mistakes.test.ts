/** Mistakes: one sentence and where to read on, or one JSON object with both. Contract 1.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findClosest } from '../../../src/cli/framework/read-words.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { startTestService, testMasterKeyHex } from '../../support/test-service.ts';

const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none', MASTER_KEY: testMasterKeyHex };

const mistakes: ReadonlyArray<readonly [words: string, sentence: string, help: string]> = [
  [
    'acount create',
    'There is no command "acount create": did you mean "account create"?',
    '--help',
  ],
  [
    'account craete',
    'There is no command "account craete": did you mean "account create"?',
    'account --help',
  ],
  ['account destroy', 'There is no command "account destroy".', 'account --help'],
  ['verfy', 'There is no command "verfy": did you mean "verify"?', '--help'],
  ['help oder list', 'There is no command "oder list": did you mean "order list"?', '--help'],
  ['frobnicate --json', 'There is no command "frobnicate".', '--help'],
  ['--frobnicate', 'Give a command.', '--help'],
  ['transaction', '"transaction" is a group of commands: add one of list.', 'transaction --help'],
  [
    'order list --acount acc_1',
    'There is no option --acount of "order list": did you mean --account?',
    'order list --help',
  ],
  ['order list -x', 'There is no option -x of "order list".', 'order list --help'],
  [
    'order list --no-account',
    'There is no option --no-account of "order list": did you mean --account?',
    'order list --help',
  ],
  ['account list --json=yes', '--json takes no value.', 'account list --help'],
  ['order list --account', '--account needs a value: --account ID.', 'order list --help'],
  ['order list --account --limit 5', '--account needs a value: --account ID.', 'order list --help'],
  ['account create', '--name is missing: give --name NAME.', 'account create --help'],
  ['order show', 'Give an order id or an invoice.', 'order show --help'],
  [
    'order show a b',
    'Unexpected argument "b": give only an order id or an invoice.',
    'order show --help',
  ],
  [
    'inbox replay',
    'Give a delivery id, or the state of deliveries with --state STATE.',
    'inbox replay --help',
  ],
  [
    'order list --status paid',
    '--status must be one of new, pending, completed, lapsed.',
    'order list --help',
  ],
  ['order list --limit 1001', '--limit must be from 1 to 1000.', 'order list --help'],
  [
    'order list --since yesterday',
    '--since must be a duration such as 24h, or a time such as 2026-11-16T10:00Z.',
    'order list --help',
  ],
  [
    'inbox list --since 2026-13-40',
    '--since must be a duration such as 24h, or a time such as 2026-11-16T10:00Z.',
    'inbox list --help',
  ],
  [
    'order list --after acc_1',
    '--after must be the order id where the last page ended.',
    'order list --help',
  ],
  [
    'transaction list --after o_1',
    '--after must be the transaction id where the last page ended.',
    'transaction list --help',
  ],
  [
    'transaction list --order INV-1',
    '--order must be an order id, such as "order list" prints.',
    'transaction list --help',
  ],
];

for (const [words, sentence, help] of mistakes) {
  test(`"${words}" is answered with one sentence and where to read on, as text and as JSON`, async () => {
    const given = words.split(' ').filter((word) => word !== '--json');
    const about =
      help === '--help'
        ? 'for all commands'
        : /^\w+ --help$/.test(help)
          ? 'for its commands'
          : 'for its options';
    const readOn = `Run "npm run --silent cli -- ${help}" ${about}.`;
    assert.deepEqual(await runCommandHere(given, nowhere), {
      code: 1,
      stdout: '',
      stderr: `${sentence}\n${readOn}\n`,
    });
    const { stdout, stderr, code } = await runCommandHere([...given, '--json'], nowhere);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^\{[^\n]+\}\n$/);
    assert.deepEqual(JSON.parse(stderr), { error: { message: sentence, help: readOn } });
  });
}

test('with --json every other error is one object too', async () => {
  const service = await startTestService();
  const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
  const cases: ReadonlyArray<
    readonly [words: string, env: Record<string, string>, message: RegExp]
  > = [
    ['account list', nowhere, /^The database of DATABASE_URL at 127\.0\.0\.1:1 cannot be used/],
    ['account list', { PORT: 'x' }, /^PORT must be a whole number/],
    ['account update acc_0000000000000000 --name X', env, /no account acc_0000000000000000/],
    ['order list --account acc_1', env, /^There is no account acc_1\.$/],
    ['order show INV-404', env, /^There is no order with the id or invoice INV-404\.$/],
    ['review resolve nonsense --note x', env, /is neither the id of a delivery nor of a flag/],
  ];
  for (const [words, given, message] of cases) {
    const { code, stdout, stderr } = await runCommandHere([...words.split(' '), '--json'], given);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, words);
    assert.match(stderr, /^\{[^\n]+\}\n$/);
    const { error } = JSON.parse(stderr);
    assert.deepEqual(Object.keys(error), ['message']);
    assert.match(error.message, message);
  }
});

test('--json behind -- is an argument and not an option', async () => {
  const { stderr } = await runCommandHere(['verify', '--', '--json'], nowhere);
  assert.match(stderr, /^Unexpected argument "--json"\.\nRun /);
});

test('a word is suggested only when it is close', () => {
  const known = ['list', 'show', 'rebuild'];
  for (const [word, closest] of [
    ['lsit', 'list'],
    ['lists', 'list'],
    ['rebiuld', 'rebuild'],
    ['shw', 'show'],
    ['erase', undefined],
    ['', undefined],
  ] as const) {
    assert.equal(findClosest(word, known), closest, word);
  }
});
