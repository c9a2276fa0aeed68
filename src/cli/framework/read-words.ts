/** Parses the options and arguments of a command. What does not fit its description is refused with one sentence. */
import { parseArgs } from 'node:util';
import {
  type ArgumentSpec,
  type Command,
  type OptionSpec,
  type OptionSpecs,
  UsageError,
  type Words,
} from './command.ts';

export function readWords(command: Command, words: readonly string[]): Words<OptionSpecs> {
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(Object.entries(command.options).map(parseOption)),
    allowPositionals: true,
    allowNegative: true,
    // The tokens are checked below, because the messages of the strict mode are not sentences.
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') checkOption(command, token);
  refuseMissingOptions(command, values);
  refuseOtherArguments(command.arguments, positionals);
  refuseOtherWords(command, values);
  return { values: values as Words<OptionSpecs>['values'], positionals };
}

function parseOption([name, spec]: [string, OptionSpec]) {
  if (spec.value === undefined) return [name, { type: 'boolean' }] as const;
  return [name, { type: 'string', multiple: spec.multiple ?? false }] as const;
}

type OptionToken = {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
};

function checkOption({ name, options }: Command, token: OptionToken): void {
  const { rawName, value, inlineValue = false } = token;
  const spec = findSpec(options, rawName);
  if (!spec) throw new UsageError(unknownOption(name.join(' '), options, rawName));
  if (spec.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    return;
  }
  // Another option behind it means that the value was forgotten.
  if (value === undefined || (!inlineValue && /^-./.test(value))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${spec.value}.`);
  }
}

function findSpec(options: OptionSpecs, rawName: string): OptionSpec | undefined {
  const name = rawName.startsWith('--') ? rawName.slice(2) : '';
  if (Object.hasOwn(options, name)) return options[name];
  const [, positive = ''] = /^no-(.+)$/.exec(name) ?? [];
  const spec = Object.hasOwn(options, positive) ? options[positive] : undefined;
  return spec?.value === undefined ? spec : undefined;
}

function unknownOption(command: string, options: OptionSpecs, rawName: string): string {
  const known = Object.entries(options).flatMap(([name, spec]) =>
    spec.value === undefined && spec.isNegatable ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  );
  const closest = findClosest(rawName, known);
  const unknown = `There is no option ${rawName} of "${command}"`;
  return closest === undefined ? `${unknown}.` : `${unknown}: did you mean ${closest}?`;
}

function refuseMissingOptions({ options }: Command, values: object): void {
  for (const [name, spec] of Object.entries(options)) {
    if (!spec.value || !spec.isRequired || Object.hasOwn(values, name)) continue;
    throw new UsageError(`--${name} is missing: give --${name} ${spec.value}.`);
  }
}

function refuseOtherArguments(specs: readonly ArgumentSpec[], positionals: readonly string[]) {
  if (positionals.length > specs.length) {
    const more = positionals.slice(specs.length).map((word) => `"${word}"`);
    const wanted = specs.length === 0 ? '' : `: give only ${phraseOf(specs)}`;
    throw new UsageError(`Unexpected argument ${more.join(' ')}${wanted}.`);
  }
  const missing = specs.slice(positionals.length).filter(({ isOptional }) => !isOptional);
  if (missing.length > 0) throw new UsageError(`Give ${phraseOf(missing)}.`);
}

function refuseOtherWords({ options }: Command, values: Readonly<Record<string, unknown>>): void {
  for (const [name, spec] of Object.entries(options)) {
    const words = spec.value === undefined ? undefined : spec.words;
    const given = values[name];
    if (!words || given === undefined || words.some((word) => word === given)) continue;
    throw new UsageError(`--${name} must be one of ${words.join(', ')}.`);
  }
}

function phraseOf(specs: readonly ArgumentSpec[]): string {
  return specs.map(({ phrase }) => phrase).join(' and ');
}

/** Undefined if no known word is close. */
export function findClosest(word: string, known: readonly string[]): string | undefined {
  let closest: string | undefined;
  // A third of the letters may be wrong: more would suggest words that nobody meant.
  let least = Math.floor(word.length / 3) + 1;
  for (const candidate of known) {
    const distance = countEdits(word, candidate);
    if (distance >= least) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

/** Letters to insert, delete, replace or swap with their neighbour. */
function countEdits(from: string, to: string): number {
  let [twoAbove, above]: number[][] = [[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row += 1) {
    const edits = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwap = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      edits[at] = Math.min(
        (edits[at - 1] ?? 0) + 1,
        (above?.[at] ?? 0) + 1,
        (above?.[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (twoAbove?.[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [twoAbove, above] = [above ?? [], edits];
  }
  return above?.[to.length] ?? 0;
}
