/** Runs a CLI command inside the test's process, because starting a process takes far longer than most commands. */
import { runCommandLine } from '../../src/cli/run.ts';
import type { CommandOutcome } from '../../tools/harness/command-line.ts';

/** Like `runCommand`, for commands that do not read standard input. */
export async function runCommandHere(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  /** The width of a terminal; without it standard output is none. */
  columns?: number,
): Promise<CommandOutcome> {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine(words, {
    env,
    columns,
    print: (text) => {
      stdout += `${text}\n`;
    },
    printError: (text) => {
      stderr += `${text}\n`;
    },
  });
  return { code, stdout, stderr };
}
