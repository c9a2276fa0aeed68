/** The shape of a command, and how its arguments are parsed. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import type { Services } from '../services/services.ts';

export type Outcome = Readonly<Record<string, unknown>>;

export type Command = {
  readonly name: readonly string[];
  readonly usage: string;
  /** Validates the arguments before the database is opened; `run` then does the work. */
  readonly parse: (words: readonly string[]) => {
    readonly json: boolean | undefined;
    /** `warn` prints to standard error. */
    readonly run: (
      services: Services,
      config: Config,
      warn: (text: string) => void,
    ) => Promise<Outcome>;
    /** Replaces the plain list of fields when the output is not JSON. */
    readonly render?: (outcome: Outcome) => string;
    /** True makes the exit status 1. */
    readonly isFailure?: (outcome: Outcome) => boolean;
  };
};

/** The arguments are wrong: the usage is printed after the message. */
export class UsageError extends Error {}

export const jsonOption = { json: { type: 'boolean' } } as const;

/** Parses options and positional arguments; unknown options are refused. */
export function readWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
  positions: readonly string[] = [],
) {
  const { values, positionals } = parseWords(words, options);
  if (positionals.length === positions.length) return { values, positionals };
  throw new UsageError(
    positions.length === 0
      ? `Unexpected argument "${positionals[0]}".`
      : `Give exactly ${positions.join(' and ')}.`,
  );
}

function parseWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({
      args: [...words],
      options,
      allowPositionals: true,
      allowNegative: true,
      strict: true,
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
