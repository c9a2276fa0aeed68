/** One call of the operator's command line: finds the command, connects to the database, prints the outcome. */
import { ServiceError } from '../domain/errors.ts';
import { withSnakeCase } from '../domain/json/snake-case.ts';
import { StartError } from '../domain/start-error.ts';
import { joinBootstrapped } from '../process/bootstrap.ts';
import { readConfig } from '../process/config.ts';
import { createLog } from '../process/log.ts';
import { commands, findCommand, findGroup, groups, unknownCommand } from './commands.ts';
import { type Command, cliCall, RefusedError, UsageError } from './framework/command.ts';
import { commandHelp, groupHelp, overview } from './framework/help.ts';
import { withServedUrl } from './framework/public-url.ts';
import { readWords } from './framework/read-words.ts';
import { renderFields, type Screen } from './framework/screen.ts';

/** What a command reads and where it prints; `main.ts` gives it those of the process. */
type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** The width of the terminal; undefined when standard output is none. */
  readonly columns: number | undefined;
};

/** Resolves with the exit status. */
export async function runCommandLine(words: readonly string[], terminal: Terminal) {
  // Words behind `--` are arguments, whatever they look like.
  const end = words.indexOf('--');
  const beforeEnd = end < 0 ? words : words.slice(0, end);
  const command = findCommand(words);
  try {
    const isHelp = beforeEnd.some((word) => word === '--help' || word === '-h');
    if (words.length === 0 || words[0] === 'help' || isHelp) {
      terminal.print(helpOn(words[0] === 'help' ? words.slice(1) : words, screenOf(terminal)));
      return 0;
    }
    if (!command) throw unknownCommand(words);
    return await runCommand(command, words.slice(command.name.length), terminal);
  } catch (error) {
    const explained = explain(error, command);
    const { message, help, stack } = explained;
    const text = stack ?? (help === undefined ? message : `${message}\n${help}`);
    terminal.printError(beforeEnd.includes('--json') ? JSON.stringify({ error: explained }) : text);
    return 1;
  }
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
  return groupHelp(group, screen);
}

async function runCommand(command: Command, words: readonly string[], terminal: Terminal) {
  const { env, print, printError } = terminal;
  const { render = renderFields, isMigration = false } = command;
  const wordsRead = readWords(command, words);
  const given = command.read(wordsRead);
  const config = await withServedUrl(readConfig(env), env);
  // Standard output is for the result alone: under --json it is one object.
  const log = createLog(config.logLevel, { write: (line) => printError(line.trimEnd()) });
  const { services, listMigrated, close } = await joinBootstrapped(config, log, { isMigration });
  try {
    const surroundings = { config, warn: printError, migrated: listMigrated() };
    const outcome = await command.run(services, given, surroundings);
    if (wordsRead.values.json) print(JSON.stringify(withSnakeCase(outcome)));
    else {
      print(render(outcome, screenOf(terminal)));
      for (const line of command.advise?.(outcome, config, given) ?? []) printError(line);
    }
    return command.isFailure?.(outcome) ? 1 : 0;
  } finally {
    await close();
  }
}

/** One sentence, and where to read on. Only a defect of ours has a stack. */
function explain(
  error: unknown,
  command: Command | undefined,
): { message: string; help?: string; stack?: string | undefined } {
  if (error instanceof ServiceError) return { message: error.merchantMessage };
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack } = error;
  if (error instanceof RefusedError || error instanceof StartError) return { message };
  if (!(error instanceof UsageError)) return { message, stack };
  const topic = command ? command.name.join(' ') : error.group;
  if (topic === undefined) return { message, help: `Run "${cliCall} --help" for all commands.` };
  const what = command ? 'options' : 'commands';
  return { message, help: `Run "${cliCall} ${topic} --help" for its ${what}.` };
}
