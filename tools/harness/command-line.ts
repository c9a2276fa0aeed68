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

const cliFile = 'src/cli/main.ts';

export function runCommand(
  words: readonly string[],
  env: Environment,
  input = '',
): Promise<CommandOutcome> {
  return runProgram([process.execPath, cliFile, ...words], env, input);
}

/** Runs it on a pseudo-terminal of this width, with the program `script` of util-linux. */
export function runCommandInTerminal(
  words: readonly string[],
  env: Environment,
  columns: number,
): Promise<CommandOutcome> {
  const command = `stty cols ${columns}; exec ${process.execPath} ${cliFile} ${words.join(' ')}`;
  return runProgram(['script', '-qec', command, '/dev/null'], env);
}

/** For programs that end by themselves. */
export function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  env: Environment,
  input = '',
  cwd = projectDir,
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const command = execFile(
      program,
      words,
      { cwd, env: { ...baseEnv, ...env }, maxBuffer: outputBytesMax },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      },
    );
    // A program that reads nothing may have ended before this is written.
    command.stdin?.on('error', () => {});
    command.stdin?.end(input);
  });
}

/** Adds `--json`. `verify` exits with 1 if it finds a violation, but its output is still needed. */
export async function runJsonCommand(
  words: readonly string[],
  env: Environment,
  checkout = projectDir,
): Promise<Record<string, unknown>> {
  const command = [process.execPath, cliFile, ...words, '--json'] as const;
  const { stdout, stderr } = await runProgram(command, env, '', checkout);
  if (stdout === '') throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}
