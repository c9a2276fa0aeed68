/** The options of a program: one description gives the help and the parsing. A mistake is answered with one sentence. */
import { parseArgs } from 'node:util';

type ProgramOption = {
  /** Stands for the value in the help. Without it, the option is a switch: it has no value, and is read as `on`. */
  readonly value?: string;
  readonly text: string;
  /** Why a value cannot work, as the end of a sentence such as `must be a whole number`. */
  readonly findFault?: (value: string) => string | undefined;
};

export type Program<Name extends string> = {
  /** How it is started, without options. */
  readonly call: string;
  readonly description: string;
  readonly options: Readonly<Record<Name, ProgramOption>>;
  /** What follows the call. */
  readonly examples: readonly string[];
};

type ProgramValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** The values of this process; it ends here if they are wrong, or if help is asked for. */
export function readOptionsOrExit<Name extends string>(
  program: Program<Name>,
): ProgramValues<Name> {
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h')) {
    console.log(programHelp(program));
    process.exit(0);
  }
  const read = readOptions(program, words);
  if ('mistake' in read) {
    console.error(`${read.mistake}\nRun "${program.call} -- --help" for its options.`);
    process.exit(1);
  }
  return read.values;
}

export function readOptions<Name extends string>(
  { options }: Program<Name>,
  words: readonly string[],
): { readonly values: ProgramValues<Name> } | { readonly mistake: string } {
  const known = Object.entries<ProgramOption>(options).map(
    ([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const,
  );
  const { values, tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(known),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') return { mistake: `Unexpected argument "${token.value}".` };
    if (token.kind !== 'option') continue;
    const { rawName, name, value } = token;
    const option = Object.hasOwn(options, name) ? options[name as Name] : undefined;
    if (!option || !rawName.startsWith('--')) return { mistake: `There is no option ${rawName}.` };
    if (option.value === undefined) {
      if (value !== undefined) return { mistake: `${rawName} takes no value.` };
      continue;
    }
    const isMissing = value === undefined || (!token.inlineValue && /^--/.test(value));
    if (isMissing) return { mistake: `${rawName} needs a value: ${rawName} ${option.value}.` };
    const fault = option.findFault?.(value);
    if (fault !== undefined) return { mistake: `${rawName} ${fault}.` };
  }
  const read = Object.entries(values).map(([name, value]) => [name, value === true ? 'on' : value]);
  return { values: Object.fromEntries(read) as ProgramValues<Name> };
}

export function programHelp<Name extends string>(program: Program<Name>): string {
  const { call, description, examples } = program;
  const entries: [string, string][] = [
    ...Object.entries<ProgramOption>(program.options).map(
      ([name, { value, text }]): [string, string] => [
        [`--${name}`, value ?? []].flat().join(' '),
        text,
      ],
    ),
    ['--help', 'Print this help.'],
  ];
  const width = Math.max(...entries.map(([term]) => term.length));
  const indent = ' '.repeat(width + 4);
  return [
    `Usage: ${call} -- [options]`,
    '',
    ...wrap(description, columnsMax),
    '',
    'Options:',
    ...entries.flatMap(([term, text]) => {
      const [first = '', ...rest] = wrap(text, columnsMax - indent.length);
      return [`  ${term.padEnd(width)}  ${first}`, ...rest.map((line) => indent + line)];
    }),
    '',
    'Examples:',
    ...examples.map((words) => `  ${call}${words === '' ? '' : ` -- ${words}`}`),
  ].join('\n');
}

const columnsMax = 80;

function wrap(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart();
    if (line.length <= width) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines;
}

/** For options that take a whole number. */
export function wholeNumber(min: number, max: number): (value: string) => string | undefined {
  return (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= min && Number(value) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}
