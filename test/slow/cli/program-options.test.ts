/** The options of `npm run simulator` and `npm run demo`. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  type Program,
  programHelp,
  readOptions,
  wholeNumber,
} from '../../../simulator/program-options.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import { runProgram } from '../../../tools/harness/command-line.ts';

const programs = {
  'npm run simulator': {
    file: 'simulator/main.ts',
    options: ['port', 'scenario', 'reason', 'seed', 'time-scale', 'webhook-secret'],
  },
  'npm run demo': { file: 'tools/demo/main.ts', options: ['chaos', 'orders', 'days'] },
};

for (const [call, { file, options }] of Object.entries(programs)) {
  test(`${call} -- --help prints what it does, its options and examples`, async () => {
    const { code, stdout, stderr } = await runProgram([process.execPath, file, '--help'], {});
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.ok(stdout.startsWith(`Usage: ${call} -- [options]\n\n`));
    for (const option of options)
      assert.match(stdout, new RegExp(`\\n  --${option} [A-Z]+  +[A-Z]`));
    assert.match(stdout, new RegExp(`\\n\\nExamples:\\n  ${call}\\n`));
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 80),
      [],
    );
  });

  test(`${call} refuses an unknown option with one sentence, and starts nothing`, async () => {
    assert.deepEqual(await runProgram([process.execPath, file, '--colour', 'red'], {}), {
      code: 1,
      stdout: '',
      stderr: `There is no option --colour.\nRun "${call} -- --help" for its options.\n`,
    });
  });
}

const program: Program<'port' | 'name' | 'loud'> = {
  call: 'npm run it',
  description: 'Does it.',
  options: {
    port: { value: 'N', text: 'The port.', findFault: wholeNumber(1, 9) },
    name: { value: 'NAME', text: 'The name.' },
    loud: { text: 'A switch.' },
  },
  examples: ['--port 3'],
};

test('npm run simulator refuses a secret that is none, and does not print it', async () => {
  const secretForm = 'must be one that endpoint create printed: whsec_ and base64.\n';
  const file = [process.execPath, 'simulator/main.ts'] as const;
  assert.deepEqual(await runProgram(file, { WEBHOOK_SECRET: 'access_secret_1' }), {
    code: 1,
    stdout: '',
    stderr: `WEBHOOK_SECRET ${secretForm}`,
  });
  const { stderr } = await runProgram([...file, '--webhook-secret', 'whsec_1'], {});
  assert.ok(stderr.startsWith(`--webhook-secret ${secretForm}`), stderr);
});

test('npm run simulator on a port in use says so in one sentence', async () => {
  const running = await startSimulator();
  after(running.close);
  const { port } = new URL(running.url);
  const file = [process.execPath, 'simulator/main.ts'] as const;
  const inUse = {
    code: 1,
    stdout: '',
    stderr: `Port ${port} on 127.0.0.1 is already in use: stop the other program, or choose a port with --port and in SIMULATOR_URL.\n`,
  };
  assert.deepEqual(await runProgram([...file, '--port', port], {}), inUse);
  assert.deepEqual(await runProgram(file, { SIMULATOR_URL: running.url }), inUse);
});

test('values are read, and what cannot work is explained', () => {
  assert.deepEqual({ ...read('--port 3 --name=-').values }, { port: '3', name: '-' });
  assert.deepEqual({ ...read('--loud --port 3').values }, { loud: 'on', port: '3' });
  assert.deepEqual({ ...read('').values }, {});
  for (const [words, mistake] of [
    ['--port', '--port needs a value: --port N.'],
    ['--name --port 3', '--name needs a value: --name NAME.'],
    ['--port 10', '--port must be a whole number from 1 to 9.'],
    ['--port 1.5', '--port must be a whole number from 1 to 9.'],
    ['--loud=yes', '--loud takes no value.'],
    ['-p 3', 'There is no option -p.'],
    ['--constructor x', 'There is no option --constructor.'],
    ['now', 'Unexpected argument "now".'],
  ] as const) {
    assert.equal(read(words).mistake, mistake, words);
  }
  assert.match(
    programHelp(program),
    /\n {2}--port N {5}The port\.\n {2}--name NAME {2}The name\.\n {2}--loud {7}A switch\.\n/,
  );
});

function read(words: string): { values?: object; mistake?: string } {
  return readOptions(program, words === '' ? [] : words.split(' '));
}
