/** A command of the command line, run in the process of the test: starting another one takes far longer than most commands run. */
import { runCommandLine } from '../../src/cli/run.ts';
import type { CommandOutcome } from '../../tools/harness/command-line.ts';

/** As `runCommand`, for commands that read nothing from standard input. */
export async function runCommandHere(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandOutcome> {
  let stdout = '';
  let stderr = '';
  const code = await runCommandLine(words, {
    env,
    print: (text) => {
      stdout += `${text}\n`;
    },
    printError: (text) => {
      stderr += `${text}\n`;
    },
    logTo: {
      write: (line) => {
        stdout += line;
      },
    },
  });
  return { code, stdout, stderr };
}
