/** One call of the operator's command line: finds the command, connects to the database, prints the outcome. */
import { joinBootstrapped } from '../process/bootstrap.ts';
import { readConfig } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import {
  commands,
  commandsOf,
  findCommand,
  findGroup,
  groups,
  unknownCommand,
} from './commands.ts';
import type { Command } from './framework/command.ts';
import { explainAsJson, explainAsText } from './framework/explain-error.ts';
import { commandHelp, groupHelp, overview } from './framework/help.ts';
import { withServedUrl } from './framework/public-url.ts';
import { readWords } from './framework/read-words.ts';
import { renderFields } from './framework/render.ts';
import type { Screen } from './framework/screen.ts';

/** What a command reads and where it prints; `main.ts` gives it those of the process. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** The width of the terminal; undefined when standard output is none. */
  readonly columns?: number | undefined;
};

/** Resolves with the exit status. */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const options = optionsAmong(words);
  const command = findCommand(words);
  try {
    if (words.length === 0 || words[0] === 'help' || options.some(isHelp)) {
      terminal.print(helpOn(words[0] === 'help' ? words.slice(1) : words, screenOf(terminal)));
      return 0;
    }
    if (!command) throw unknownCommand(words);
    return await runCommand(command, words.slice(command.name.length), terminal);
  } catch (error) {
    const explain = options.includes('--json') ? explainAsJson : explainAsText;
    terminal.printError(explain(error, command));
    return 1;
  }
}

/** Words behind `--` are arguments, whatever they look like. */
function optionsAmong(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).filter((word) => word.startsWith('-'));
}

function isHelp(option: string): boolean {
  return option === '--help' || option === '-h';
}

function screenOf({ columns, env }: Terminal): Screen {
  return { columns, hasColours: columns !== undefined && !env.NO_COLOR, now: new Date() };
}

function helpOn(words: readonly string[], screen: Screen): string {
  const topic = words.filter((word) => !word.startsWith('-'));
  const command = findCommand(topic);
  if (command) return commandHelp(command, screen);
  if (topic.length === 0) return overview(groups, commands, screen);
  const group = topic.length === 1 ? findGroup(topic[0]) : undefined;
  if (!group) throw unknownCommand(topic);
  return groupHelp(group, commandsOf(group), screen);
}

async function runCommand(
  command: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { env, print, printError } = terminal;
  const given = readWords(command, words);
  const { run, render = renderFields, advise, isFailure } = command.prepare(given);
  const config = await withServedUrl(readConfig(env), env);
  // Standard output is for the result alone: under --json it is one object.
  const log = createLog(config.logLevel, { write: (line) => printError(line.trimEnd()) });
  const isMigration = command.isMigration ?? false;
  const joined = await joinBootstrapped(config, log, { isMigration });
  try {
    const outcome = await run(joined.services, config, printError, joined.listMigrated());
    if (given.values.json) print(JSON.stringify(outcome));
    else {
      print(render(outcome, screenOf(terminal)));
      for (const line of advise?.(outcome, config) ?? []) printError(line);
    }
    return isFailure?.(outcome) ? 1 : 0;
  } finally {
    await joined.close();
  }
}
