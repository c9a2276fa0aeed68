/**
 * Renders the templates of the Helm chart, because Helm itself cannot be installed by npm. It knows the part of the
 * template language that the chart uses and refuses everything else, also values that are not in values.yaml.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse, stringify } from 'yaml';

export type Rendered = Readonly<Record<string, string>>;
type Scope = { readonly dot: unknown; readonly root: unknown; readonly names: Names };
type Names = Readonly<Record<string, unknown>>;
type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly words: string }
  | {
      readonly kind: 'if' | 'with' | 'range' | 'define';
      readonly words: string;
      readonly inside: readonly Node[];
    };

/** The text of each template by its file name, with these values laid over those of values.yaml. */
export function renderChart(chartDir: string, values: object): Rendered {
  const read = (file: string) => readFileSync(join(chartDir, file), 'utf8');
  const { name, version, appVersion } = parse(read('Chart.yaml'));
  const root = {
    Values: merge(parse(read('values.yaml')), values),
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: 'shop', Namespace: 'payments', Service: 'Helm' },
  };
  // Like Helm, which follows symbolic links and gives an empty text for a file that is missing.
  const getFile = (file: string) => (existsSync(join(chartDir, file)) ? read(file) : '');
  const files = globSync('templates/*', { cwd: chartDir }).sort();
  const trees = files.map((file) => [basename(file), parseTemplate(read(file))] as const);
  const defined = new Map<string, readonly Node[]>();
  for (const node of trees.flatMap(([, nodes]) => nodes)) {
    if (node.kind === 'define') defined.set(JSON.parse(node.words), node.inside);
  }
  const renderer = createRenderer(defined, getFile);
  const shown = trees.filter(([file]) => !file.startsWith('_'));
  return Object.fromEntries(
    shown.map(([file, nodes]) => [file, renderer(nodes, { dot: root, root, names: {} })]),
  );
}

function merge(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, key in over ? merge(base[key], over[key]) : base[key]]),
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseTemplate(text: string): Node[] {
  const trimmed = text.replace(/\s*\{\{-/g, '{{').replace(/-\}\}\s*/g, '}}');
  const parts = trimmed.split(/\{\{((?:"[^"]*"|[^}"])*)\}\}/);
  const open: { kind: string; words: string; inside: Node[] }[] = [
    { kind: 'root', words: '', inside: [] },
  ];
  for (const [index, part] of parts.entries()) {
    const inner = open.at(-1)?.inside ?? [];
    if (index % 2 === 0) {
      if (part.includes('{{') || part.includes('}}')) throw new Error(`cannot read ${part}`);
      inner.push({ kind: 'text', text: part });
      continue;
    }
    const [, word = '', rest = ''] =
      /^\s*(if|with|range|define|else|end|\/\*)?([\s\S]*)$/.exec(part) ?? [];
    if (word === '/*') continue;
    if (word === 'else') throw new Error('else is not known here');
    if (word === 'end') {
      const done = open.pop() as Node;
      open.at(-1)?.inside.push(done);
    } else if (word !== '') open.push({ kind: word, words: rest.trim(), inside: [] });
    else inner.push({ kind: 'print', words: rest.trim() });
  }
  if (open.length !== 1) throw new Error('an "end" is missing or too many');
  return open[0]?.inside ?? [];
}

function createRenderer(
  defined: ReadonlyMap<string, readonly Node[]>,
  getFile: (file: string) => string,
) {
  const render = (nodes: readonly Node[], scope: Scope): string =>
    nodes.map((node) => renderNode(node, scope)).join('');
  const renderNode = (node: Node, scope: Scope): string => {
    if (node.kind === 'text') return node.text;
    if (node.kind === 'define') return '';
    if (node.kind === 'print') return print(evaluate(node.words, scope));
    if (node.kind === 'range') return renderRange(node, scope);
    const value = evaluate(node.words, scope);
    if (!isTrue(value)) return '';
    return render(node.inside, node.kind === 'with' ? { ...scope, dot: value } : scope);
  };
  const renderRange = (
    { words, inside }: Extract<Node, { words: string; inside: unknown }>,
    scope: Scope,
  ) => {
    const [, key = '', item = '', list = ''] = /^(\$\w+), (\$\w+) := (.+)$/.exec(words) ?? [];
    if (key === '') throw new Error(`cannot read range ${words}`);
    const entries = Object.entries(evaluate(list, scope) as object).sort();
    return entries
      .map(([name, value]) =>
        render(inside, {
          ...scope,
          dot: value,
          names: { ...scope.names, [key]: name, [item]: value },
        }),
      )
      .join('');
  };
  const evaluate = (words: string, scope: Scope): unknown => {
    const tokens = words.match(/"[^"]*"|[()|]|[^\s()|]+/g) ?? [];
    const value = pipeline(tokens, scope);
    if (tokens.length > 0) throw new Error(`cannot read ${words}`);
    return value;
  };
  const pipeline = (tokens: string[], scope: Scope): unknown => {
    let piped: unknown[] = [];
    for (;;) {
      const args: unknown[] = [];
      const first = tokens[0] ?? '';
      const isCall = /^[a-z]\w*$/i.test(first) || first === fileFunction;
      if (isCall) tokens.shift();
      while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')')
        args.push(operand(tokens, scope));
      const all = [...args, ...piped];
      const result = isCall ? callFunction(first, all, scope) : all[0];
      if (!isCall && all.length !== 1) throw new Error(`one value is expected at ${first}`);
      if (tokens[0] !== '|') return result;
      tokens.shift();
      piped = [result];
    }
  };
  const operand = (tokens: string[], scope: Scope): unknown => {
    const token = tokens.shift() ?? '';
    if (token === '(') {
      const value = pipeline(tokens, scope);
      if (tokens.shift() !== ')') throw new Error('a bracket is missing');
      return value;
    }
    if (token.startsWith('"')) return JSON.parse(token);
    if (/^\d+$/.test(token)) return Number(token);
    if (token.startsWith('$')) return get(scope.names, token);
    if (token === '.') return scope.dot;
    if (!token.startsWith('.')) throw new Error(`${token} is not known here`);
    return token.slice(1).split('.').reduce(get, scope.dot);
  };
  const callFunction = (name: string, args: readonly unknown[], scope: Scope): unknown => {
    if (name === 'include') {
      const nodes = defined.get(String(args[0]));
      if (!nodes) throw new Error(`${args[0]} is not defined`);
      return render(nodes, { ...scope, dot: args[1], names: {} });
    }
    if (name === fileFunction) return getFile(String(args[0]));
    const known = functions[name];
    if (!known) throw new Error(`the function ${name} is not known here`);
    return known(...(args as never[]));
  };
  return render;
}

const fileFunction = '.Files.Get';

const functions: Readonly<Record<string, (...args: readonly never[]) => unknown>> = {
  quote: (value: unknown) => JSON.stringify(String(value)),
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  not: (value: unknown) => !isTrue(value),
  ternary: (yes: unknown, no: unknown, value: boolean) => (value ? yes : no),
  int: (value: unknown) => Math.trunc(Number(value)),
  add: (...values: number[]) => values.reduce((sum, value) => sum + value, 0),
  lt: (one: number, other: number) => one < other,
  fail: (message: string) => {
    throw new Error(message);
  },
  list: (...items: unknown[]) => items,
  index: (items: unknown[], at: number) => items[at],
  join: (separator: string, texts: readonly string[]) => texts.join(separator),
  trunc: (length: number, text: string) => text.slice(0, length),
  trimSuffix: (suffix: string, text: string) =>
    text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  printf: (format: string, ...values: unknown[]) =>
    values.reduce<string>((text, value) => text.replace('%s', String(value)), format),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  nindent: (spaces: number, text: string) =>
    `\n${text}`.replaceAll('\n', `\n${' '.repeat(spaces)}`),
  required: (message: string, value: unknown) => {
    if (value === '' || value === undefined) throw new Error(message);
    return value;
  },
};

function get(holder: unknown, key: string): unknown {
  if (isMap(holder) && key in holder) return holder[key];
  throw new Error(`there is no value ${key}`);
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function print(value: unknown): string {
  if (typeof value === 'object') throw new Error('a map or list is printed without toYaml');
  return String(value);
}
