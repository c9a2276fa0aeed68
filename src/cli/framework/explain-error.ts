/** What a command that fails prints: one sentence, the place where to read on, or one JSON object with both. */
import { ServiceError } from '../../domain/errors.ts';
import { StartError } from '../../domain/start-error.ts';
import { type Command, cliCall, RefusedError, UsageError } from './command.ts';

/** The words are no command. */
export class UnknownCommandError extends UsageError {
  /** The group that the words name; undefined if they name none. */
  readonly group: string | undefined;

  constructor(message: string, group: string | undefined) {
    super(message);
    this.group = group;
  }
}

type Explained = {
  readonly message: string;
  /** Where to read on. */
  readonly help?: string;
  /** Only for a defect of ours. */
  readonly stack?: string;
};

export function explainAsText(error: unknown, command: Command | undefined): string {
  const { message, help, stack } = explain(error, command);
  return stack ?? [message, ...(help === undefined ? [] : [help])].join('\n');
}

export function explainAsJson(error: unknown, command: Command | undefined): string {
  return JSON.stringify({ error: explain(error, command) });
}

function explain(error: unknown, command: Command | undefined): Explained {
  if (error instanceof UsageError) return { message: error.message, help: helpOn(error, command) };
  if (error instanceof RefusedError || error instanceof StartError) {
    return { message: error.message };
  }
  if (error instanceof ServiceError) return { message: error.merchantMessage };
  if (!(error instanceof Error)) return { message: String(error) };
  return { message: error.message, ...(error.stack !== undefined && { stack: error.stack }) };
}

function helpOn(error: UsageError, command: Command | undefined): string {
  if (command) return `Run "${cliCall} ${command.name.join(' ')} --help" for its options.`;
  const group = error instanceof UnknownCommandError ? error.group : undefined;
  return group === undefined
    ? `Run "${cliCall} --help" for all commands.`
    : `Run "${cliCall} ${group} --help" for its commands.`;
}
