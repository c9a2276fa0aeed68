/** The command line as an operator runs it. */
import { execFile } from 'node:child_process';
import { passedOn, projectDir } from './service-process.ts';

export type CommandOutcome = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};

export function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const command = execFile(
      process.execPath,
      ['src/cli/main.ts', ...words],
      { cwd: projectDir, env: { ...passedOn, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
      },
    );
    command.stdin?.end(input);
  });
}
