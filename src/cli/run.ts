/** One call of the operator's command line: finds the command, connects to the database, prints the outcome. */
import type { DestinationStream } from 'pino';
import { joinBootstrapped } from '../bootstrap.ts';
import { readConfig } from '../config.ts';
import { ServiceError } from '../domain/errors.ts';
import { StartError } from '../domain/start-error.ts';
import { createLog } from '../log.ts';
import { accountCreate } from './account-create.ts';
import { accountList } from './account-list.ts';
import { accountRotate } from './account-rotate.ts';
import { accountResume, accountSuspend } from './account-suspend.ts';
import { accountUpdate } from './account-update.ts';
import { type Command, UsageError } from './command.ts';
import { consumerErase } from './consumer-erase.ts';
import { inboxList } from './inbox-list.ts';
import { inboxReplay } from './inbox-replay.ts';
import { inboxShow } from './inbox-show.ts';
import { keysRotate } from './keys-rotate.ts';
import { orderRebuild } from './order-rebuild.ts';
import { renderFields } from './render.ts';
import { reviewList } from './review-list.ts';
import { inboxResolve, reviewResolve } from './review-resolve.ts';
import { verify } from './verify.ts';

const commands: readonly Command[] = [
  ...[accountCreate, accountList, accountUpdate, accountRotate],
  ...[accountSuspend, accountResume],
  ...[keysRotate, inboxList, inboxShow, inboxReplay, inboxResolve],
  ...[reviewList, reviewResolve, orderRebuild, consumerErase, verify],
];

/** What a command reads and where it prints; `main.ts` gives it those of the process. */
export type Terminal = {
  readonly env: NodeJS.ProcessEnv;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  /** Standard output when it is undefined. */
  readonly logTo?: DestinationStream;
};

/** Resolves with the exit status. */
export async function runCommandLine(
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  try {
    return await runCommand(words, terminal);
  } catch (error) {
    terminal.printError(explain(error));
    return 1;
  }
}

async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { env, print, printError, logTo } = terminal;
  const command = commands.find(({ name }) => name.every((word, index) => words[index] === word));
  if (!command) {
    const wantsHelp = words.length === 0 || words.includes('--help');
    if (!wantsHelp) throw new UsageError(`There is no command "${words.slice(0, 2).join(' ')}".`);
    print(usage());
    return 0;
  }
  const {
    json,
    run,
    render = renderFields,
    isFailure,
  } = command.parse(words.slice(command.name.length));
  const config = readConfig(env);
  const { services, close } = await joinBootstrapped(config, createLog(config.logLevel, logTo));
  try {
    const outcome = await run(services, config, printError);
    print(json ? JSON.stringify(outcome) : render(outcome));
    return isFailure?.(outcome) ? 1 : 0;
  } finally {
    await close();
  }
}

function usage(): string {
  return [
    'Usage: npm run --silent cli -- <command>',
    '',
    ...commands.map(({ usage }) => `  ${usage}`),
  ].join('\n');
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${usage()}`;
  if (error instanceof StartError) return error.message;
  if (error instanceof ServiceError) return error.merchantMessage;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
