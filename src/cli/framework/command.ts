/** The description of a command: its help and the parsing of its arguments both come from it. */
import type { Config } from '../../process/config.ts';
import type { Services } from '../../services/services.ts';
import type { Screen } from './screen.ts';

type FlagSpec = {
  readonly value?: undefined;
  readonly text: string;
  /** `--no-…` is shown in the help. */
  readonly isNegatable?: true;
};

export type ValueSpec = {
  /** Stands for the value in the help, such as `ID`. */
  readonly value: string;
  readonly text: string;
  /** Any other value is refused. */
  readonly words?: readonly string[];
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

type ValueOf<Spec extends OptionSpec> = Spec extends ValueSpec
  ? Spec extends { readonly multiple: true }
    ? readonly string[]
    : Spec extends { readonly words: ReadonlyArray<infer Word> }
      ? Word
      : string
  : boolean;

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

type Surroundings = {
  readonly config: Config;
  /** Prints to standard error. */
  readonly warn: (text: string) => void;
  readonly migrated: readonly string[];
};

type Described<Specs extends OptionSpecs, Given, Outcome> = {
  readonly name: readonly string[];
  /** One line in the list of commands. */
  readonly summary: string;
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: Specs;
  /** What follows `npm run --silent cli -- `. */
  readonly examples: readonly string[];
  /** It migrates the database, so it runs where others are refused. */
  readonly isMigration?: true;
  /** Validates the words before the database is opened, and returns what `run` is given instead of them. */
  readonly read?: (words: Words<Specs>) => Given;
  readonly run: (services: Services, given: Given, surroundings: Surroundings) => Promise<Outcome>;
  /** Replaces the plain list of fields when the output is not JSON. */
  readonly render?: (outcome: Outcome, screen: Screen) => string;
  /** What to do next, printed to standard error when the output is not JSON. */
  readonly advise?: (outcome: Outcome, config: Config, given: Given) => readonly string[];
  /** True makes the exit status 1. */
  readonly isFailure?: (outcome: Outcome) => boolean;
};

type Defaults = 'arguments' | 'options' | 'read';
export type Command = Described<OptionSpecs, unknown, object> &
  Required<Pick<Described<OptionSpecs, unknown, object>, Defaults>>;

/** Gives the functions the types that follow from the options and from each other. */
export function defineCommand<
  const Specs extends OptionSpecs,
  Outcome extends object,
  Given = Words<Specs>,
>(described: Described<Specs, Given, Outcome>): Command {
  const command = {
    arguments: [],
    read: (words: Words<Specs>) => words,
    ...described,
    options: { ...described.options, ...commonOptions },
  };
  return command as unknown as Command;
}

/** Every command has these; they are looked at before the words are read. */
const commonOptions = {
  json: { text: 'Print exactly one JSON object, also for an error.' },
  help: { text: 'Print this help.' },
} as const satisfies OptionSpecs;

/** The arguments are wrong: the message is followed by the place where to read on. */
export class UsageError extends Error {
  /** The group of commands that the words name, if they name no command. */
  readonly group: string | undefined;

  constructor(message: string, group?: string) {
    super(message);
    this.group = group;
  }
}

/** The arguments are right, and what they ask for is not possible. */
export class RefusedError extends Error {}

/** How a command is typed, as documents and messages write it. */
export const cliCall = 'npm run --silent cli --';
