/** Runs a command of the command line in a process of its own, as an operator does. */
import { execFile } from 'node:child_process';
import { baseEnv, type Environment, projectDir } from './project.ts';

export type CommandOutcome = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** `verify` lists every breach, and a long run may leave many. */
const outputBytesMax = 64 * 1024 * 1024;

export function runCommand(
  words: readonly string[],
  env: Environment,
  input = '',
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const command = execFile(
      process.execPath,
      ['src/cli/main.ts', ...words],
      { cwd: projectDir, env: { ...baseEnv, ...env }, maxBuffer: outputBytesMax },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      },
    );
    command.stdin?.end(input);
  });
}

/** With `--json`; `verify` exits with 1 when it finds a breach and prints its result all the same. */
export async function runJsonCommand(
  words: readonly string[],
  env: Environment,
): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runCommand([...words, '--json'], env);
  if (stdout === '') throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
