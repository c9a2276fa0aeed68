/** Runs the code samples of docs/integrate.md with whatever interpreters this machine has. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, launch } from '../../tools/harness/launch.ts';
import { baseEnv, type Environment, projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';

export const samplesDir = join(projectDir, 'docs/samples');

/** Runs a sample in its folder and returns what it printed. A sample that fails throws with its output. */
export async function runSample(
  [program, ...words]: readonly [string, ...string[]],
  env: Environment = {},
): Promise<string> {
  const options = { cwd: samplesDir, env: { ...baseEnv, ...env } };
  const { stdout } = await promisify(execFile)(program, words, options).catch((error) => {
    throw new Error(`${program} ${words[0]}: ${error.stdout}${error.stderr}`);
  });
  return stdout.trim();
}

/** Starts a shop in a folder where the client is installed as `npm install PATH` does it: by a link. Returns its URL. */
export async function startSampleShop(file: string, env: Environment): Promise<string> {
  const { path: folder, remove } = await makeTemporaryFolder('pos-sample-shop-');
  after(remove);
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(projectDir, 'client'), join(folder, 'node_modules/payment-order-client'));
  await copyFile(join(samplesDir, file), join(folder, file));
  const SHOP_PORT = String(env.SHOP_PORT ?? (await findFreePort()));
  const shop = launch([process.execPath, file], { ...env, SHOP_PORT }, { cwd: folder });
  after(() => shop.end('SIGTERM'));
  await waitUntil('the shop is open', async () => {
    await assertRunning(shop);
    return shop.output().includes('Open http');
  });
  return `http://127.0.0.1:${SHOP_PORT}`;
}

export type Language = {
  readonly name: string;
  /** Why it cannot be run here. */
  readonly skip: string | false;
  /** Why its encrypted payloads cannot be run here. */
  readonly skipSealed: string | false;
  /** Checks the functions against a file of vectors. */
  readonly checkVectors: readonly [string, ...string[]];
  /** Prints its first argument, encrypted with the secret that is the second. */
  readonly seal: readonly [string, ...string[]];
};

// -B: no compiled files beside the samples.
const python = ['python3', '-B'] as const;
const noPython = missing([...python, '-c', '']);
const noPhp = missing(['php', '-r', '']);
export const noCurl = missing(['curl', '--version']);

export const languages: readonly Language[] = [
  {
    name: 'Node',
    skip: false,
    skipSealed: false,
    checkVectors: [process.execPath, 'check-vectors.mjs'],
    seal: [
      ...([process.execPath, '--input-type=module', '-e'] as const),
      "import { seal } from './sealed.mjs'; console.log(seal(...process.argv.slice(1)))",
    ],
  },
  {
    name: 'Python',
    skip: noPython,
    skipSealed: noPython || missing([...python, '-c', 'import cryptography']),
    checkVectors: [...python, 'check_vectors.py'],
    seal: [...python, '-c', 'import sys; from sealed import seal; print(seal(*sys.argv[1:]))'],
  },
  {
    name: 'PHP',
    skip: noPhp,
    skipSealed: noPhp || missing(['php', '-r', 'openssl_get_cipher_methods();']),
    checkVectors: ['php', 'check-vectors.php'],
    seal: ['php', '-r', 'require "sealed.php"; echo seal($argv[1], $argv[2]);', '--'],
  },
];

/** The reason for skipping a sample, or false if this machine can run the command. */
function missing([program, ...words]: readonly [string, ...string[]]): string | false {
  try {
    execFileSync(program, words, { env: baseEnv, stdio: 'ignore' });
    return false;
  } catch {
    return `this machine cannot run: ${program} ${words.join(' ')}`;
  }
}
