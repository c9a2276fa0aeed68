/** The help of a command, of a group of commands, and of the command line, wrapped to the width of the terminal. */
import { type Command, cliCall, type OptionSpec } from './command.ts';
import { paint, type Screen, usualColumns, widthOf } from './screen.ts';

type Item = { readonly term: string; readonly text: string };

export type Group = {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
};

export function commandHelp(command: Command, screen: Screen): string {
  const items = command.arguments.map(({ name, text }) => ({ term: name, text }));
  const options = Object.entries(command.options).map(optionItem);
  return [
    ...usageLines(usageOf(command), screen),
    '',
    ...wrapText(command.description, columnsOf(screen)),
    ...section('Arguments', itemLines(items, screen), screen),
    ...section('Options', itemLines(options, screen), screen),
    ...section('Examples', exampleLines(command.examples, screen), screen),
  ].join('\n');
}

export function groupHelp({ name, summary, commands }: Group, screen: Screen): string {
  return [
    ...usageLines(`${name} <command> [options]`, screen),
    '',
    ...wrapText(`${summary}.`, columnsOf(screen)),
    ...section('Commands', itemLines(commandItems(commands), screen), screen),
    '',
    ...wrapText(`Run "${cliCall} ${name} <command> --help" for its options.`, columnsOf(screen)),
  ].join('\n');
}

export function overview(groups: readonly Group[], commands: readonly Command[], screen: Screen) {
  const columns = columnsOf(screen);
  // All sections have the same column of terms, so that the page reads as one table.
  const termWidth = Math.max(...commandItems(commands).map(({ term }) => widthOf(term)));
  const sections = groups.flatMap(({ summary, commands: own }) =>
    section(summary, itemLines(commandItems(own), screen, termWidth), screen),
  );
  return [
    ...usageLines('<command>', screen),
    ...sections,
    '',
    ...wrapText(`Run "${cliCall} <command> --help" for the options of a command.`, columns),
    ...wrapText('With --json a command prints exactly one JSON object.', columns),
  ].join('\n');
}

function usageOf({ name, arguments: specs, options }: Command): string {
  const positions = specs.map((spec) => (spec.isOptional ? `[${spec.name}]` : spec.name));
  const required = Object.entries(options).flatMap(([option, spec]) =>
    spec.value && spec.isRequired ? [`--${option} ${spec.value}`] : [],
  );
  return [...name, ...positions, ...required, '[options]'].join(' ');
}

function usageLines(usage: string, screen: Screen): string[] {
  const [first = '', ...rest] = wrapText(`Usage: ${cliCall} ${usage}`, columnsOf(screen) - 2);
  return [first, ...rest.map((line) => `  ${line}`)];
}

function section(title: string, lines: readonly string[], screen: Screen): string[] {
  if (lines.length === 0) return [];
  const titles = wrapText(`${title}:`, columnsOf(screen));
  return ['', ...titles.map((line) => paint(screen, 'bold', line)), ...lines];
}

function optionItem([name, spec]: [string, OptionSpec]): Item {
  if (spec.value === undefined) {
    return { term: spec.isNegatable ? `--[no-]${name}` : `--${name}`, text: spec.text };
  }
  const remarks = [spec.isRequired && 'Required.', spec.multiple && 'Repeatable.'].filter(Boolean);
  return { term: `--${name} ${spec.value}`, text: [spec.text, ...remarks].join(' ') };
}

function commandItems(commands: readonly Command[]): Item[] {
  return commands.map(({ name, summary }) => ({ term: name.join(' '), text: summary }));
}

/** Longer terms get a line of their own. */
const termWidthMax = 28;
/** In narrower terminals the text is below its term. */
const twoColumnsMin = 60;

function itemLines(items: readonly Item[], screen: Screen, termWidth?: number): string[] {
  const columns = columnsOf(screen);
  const widths = items.map(({ term }) => widthOf(term)).filter((width) => width <= termWidthMax);
  const term = columns < twoColumnsMin ? 2 : (termWidth ?? Math.max(...widths, 0));
  const indent = ' '.repeat(term + 4);
  return items.flatMap((item) => {
    const texts = wrapText(item.text, columns - indent.length);
    const isBeside = widthOf(item.term) <= term;
    const head = `  ${paint(screen, 'cyan', item.term)}`;
    if (!isBeside) return [head, ...texts.map((line) => indent + line)];
    const [first = '', ...rest] = texts;
    const gap = ' '.repeat(term - widthOf(item.term) + 2);
    return [head + gap + first, ...rest.map((line) => indent + line)];
  });
}

function exampleLines(examples: readonly string[], screen: Screen): string[] {
  return examples.flatMap((example) =>
    wrapCommand(`${cliCall} ${example}`, columnsOf(screen) - 4).map((line, at) =>
      at === 0 ? `  ${line}` : `    ${line}`,
    ),
  );
}

function columnsOf({ columns = usualColumns }: Screen): number {
  return columns;
}

/** Words are never broken, so a longer word makes a longer line. */
function wrapText(text: string, width: number): string[] {
  return wrapWords(text.split(/\s+/), width, '');
}

/** A shell command on several lines. Each but the last ends with a backslash, so that all can be pasted. */
function wrapCommand(command: string, width: number): string[] {
  // Words in quotes stay together: a line break inside them would become part of the argument.
  const words = command.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  return wrapWords(words, width, ' \\');
}

function wrapWords(words: readonly string[], width: number, ending: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [at, word] of words.entries()) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = at === words.length - 1 ? width : width - ending.length;
    if (line === '' || widthOf(longer) <= room) {
      line = longer;
      continue;
    }
    lines.push(line + ending);
    line = word;
  }
  return [...lines, line];
}
