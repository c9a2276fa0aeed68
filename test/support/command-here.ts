/** Runs a CLI command inside the test's process, because starting a process takes far longer than most commands. */
import assert from 'node:assert/strict';
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

// biome-ignore lint/suspicious/noExplicitAny: what a command prints is asserted field by field
export type Printed = Record<string, any>;

/** The same for commands that print JSON. Words are a list, or a text without spaces in a word. */
export function jsonCommands(env: Readonly<Record<string, string>>) {
  return {
    runJson: async (words: Words): Promise<Printed> => {
      const { code, stdout, stderr } = await runCommandHere([...listOf(words), '--json'], env);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^\{[^\n]*\}\n$/);
      return JSON.parse(stdout);
    },
    /** The message of a refused command. The text has the same sentence. */
    refusalOf: async (words: Words): Promise<string> => {
      const { code, stdout, stderr } = await runCommandHere([...listOf(words), '--json'], env);
      assert.deepEqual([code, stdout], [1, ''], String(words));
      const { message } = JSON.parse(stderr).error;
      const text = await runCommandHere(listOf(words), env);
      assert.equal(text.stderr.split('\n')[0], message);
      return message;
    },
  };
}

type Words = string | readonly string[];

function listOf(words: Words): readonly string[] {
  return typeof words === 'string' ? words.split(' ') : words;
}
