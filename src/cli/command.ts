/** What a command of the command line is, and how its words are read. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import type { Services } from '../services/services.ts';

export type Outcome = Readonly<Record<string, unknown>>;

export type Command = {
  readonly name: readonly string[];
  readonly usage: string;
  /** Judges the words before anything is opened; `run` then does the work. */
  readonly parse: (words: readonly string[]) => {
    readonly json: boolean | undefined;
    readonly run: (services: Services, config: Config) => Promise<Outcome>;
    /** For human eyes, where the plain list of fields would not please them. */
    readonly render?: (outcome: Outcome) => string;
    /** True when the outcome is bad news: the exit status is then 1. */
    readonly isFailure?: (outcome: Outcome) => boolean;
  };
};

/** The words of a command are wrong; the usage is printed beside the message. */
export class UsageError extends Error {}

export const jsonOption = { json: { type: 'boolean' } } as const;

/** Reads flags and positions; a flag that is not known is refused. */
export function readWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  options: Options,
  positions: readonly string[] = [],
) {
  const { values, positionals } = parseWords(words, options);
  if (positionals.length === positions.length) return { values, positionals };
  throw new UsageError(
    positions.length === 0
      ? `Unexpected word "${positionals[0]}".`
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
