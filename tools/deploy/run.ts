/** Runs a program to its end, for proofs: what it printed, or an error with its last lines. */
import { type CommandOutcome, runProgram } from '../harness/command-line.ts';
import type { Environment } from '../harness/project.ts';

export async function run(
  words: readonly [string, ...string[]],
  env: Environment = {},
): Promise<string> {
  const { code, stdout, stderr }: CommandOutcome = await runProgram(words, env);
  if (code === 0) return stdout;
  const last = `${stdout}${stderr}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${words.join(' ')} ended with ${code}:\n${last}`);
}
