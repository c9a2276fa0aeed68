/** Runs the code samples of docs/integrate.md with whatever interpreters this machine has. */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { baseEnv, type Environment, projectDir } from '../../tools/harness/project.ts';

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
