/** The description of a command: its help and the parsing of its arguments both come from it. */
import type { Config } from '../../process/config.ts';
import type { Services } from '../../services/services.ts';
import type { Screen } from './screen.ts';

export type Outcome = Readonly<Record<string, unknown>>;

type FlagSpec = {
  readonly type: 'boolean';
  readonly text: string;
  /** `--no-…` is shown in the help. */
  readonly isNegatable?: true;
};

export type ValueSpec = {
  readonly type: 'string';
  /** Stands for the value in the help, such as `ID`. */
  readonly value: string;
  readonly text: string;
  readonly multiple?: true;
  readonly isRequired?: true;
};

export type OptionSpec = FlagSpec | ValueSpec;
export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export type ArgumentSpec = {
  /** Stands for the argument in the help, such as `ACCOUNT_ID`. */
  readonly name: string;
  /** The argument in a sentence, such as `an account id`. */
  readonly phrase: string;
  readonly text: string;
  readonly isOptional?: true;
};

type ValueOf<Spec extends OptionSpec> = Spec extends FlagSpec
  ? boolean
  : Spec extends { readonly multiple: true }
    ? readonly string[]
    : string;

export type OptionValues<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { readonly isRequired: true }
    ? ValueOf<Specs[Name]>
    : ValueOf<Specs[Name]> | undefined;
};

export type Words<Specs extends OptionSpecs> = {
  readonly values: OptionValues<Specs>;
  /** As many as there are arguments; undefined for an optional one that was not given. */
  readonly positionals: readonly string[];
};

export type Prepared = {
  /** `warn` prints to standard error. */
  readonly run: (
    services: Services,
    config: Config,
    warn: (text: string) => void,
    migrated: readonly string[],
  ) => Promise<Outcome>;
  /** Replaces the plain list of fields when the output is not JSON. */
  readonly render?: (outcome: Outcome, screen: Screen) => string;
  /** What to do next, printed to standard error when the output is not JSON. */
  readonly advise?: (outcome: Outcome, config: Config) => readonly string[];
  /** True makes the exit status 1. */
  readonly isFailure?: (outcome: Outcome) => boolean;
};

export type Command = {
  readonly name: readonly string[];
  /** One line in the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: OptionSpecs;
  /** What follows `npm run --silent cli -- `. */
  readonly examples: readonly string[];
  /** It migrates the database, so it runs where others are refused. */
  readonly isMigration?: true;
  /** Validates the arguments before the database is opened; `run` then does the work. */
  readonly prepare: (words: Words<OptionSpecs>) => Prepared;
};

export type Described<Specs extends OptionSpecs> = Omit<
  Command,
  'arguments' | 'options' | 'prepare'
> & {
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: Specs;
  readonly prepare: (words: Words<Specs>) => Prepared;
};

/** Gives `prepare` the types that follow from the options. */
export function defineCommand<const Specs extends OptionSpecs>(
  described: Described<Specs>,
): Command {
  return {
    ...described,
    arguments: described.arguments ?? [],
    options: { ...described.options, ...commonOptions },
    prepare: described.prepare as unknown as Command['prepare'],
  };
}

/** Every command has these; they are read before the command is prepared. */
const commonOptions = {
  json: { type: 'boolean', text: 'Print exactly one JSON object, also for an error.' },
  help: { type: 'boolean', text: 'Print this help.' },
} as const satisfies OptionSpecs;

/** The arguments are wrong: the message is followed by the place where to read on. */
export class UsageError extends Error {}

/** The arguments are right, and what they ask for is not possible. */
export class RefusedError extends Error {}

/** How a command is typed, as documents and messages write it. */
export const cliCall = 'npm run --silent cli --';
