/** Runs a command of the command line in a process of its own, as an operator does. */
import { execFile } from 'node:child_process';
import { baseEnv, type Environment, projectDir } from './project.ts';

export type CommandOutcome = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** `verify` lists every violation. */
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

/** Adds `--json`. `verify` exits with 1 if it finds a violation, but its output is still needed. */
export async function runJsonCommand(
  words: readonly string[],
  env: Environment,
): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await runCommand([...words, '--json'], env);
  if (stdout === '') throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
