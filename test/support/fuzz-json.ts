/**
 * JSON text of a hostile client: duplicate keys, numbers that no double can represent, lone surrogates. Also mutations
 * of such trees and of their bytes.
 */
import fc from 'fast-check';
import { anyText } from './any-text.ts';

/** Text that is written without quoting. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Pairs = { pairs: [name: string, value: Tree][] };
export type Tree = Raw | Pairs | Tree[] | string | number | boolean | null;

export const raw = (text: string): Tree => new Raw(text);

export function treeOf(value: unknown): Tree {
  if (value instanceof Raw) return value;
  if (Array.isArray(value)) return value.map(treeOf);
  if (typeof value === 'object' && value !== null) {
    return { pairs: Object.entries(value).map(([name, entry]) => [name, treeOf(entry)]) };
  }
  return (value ?? null) as Tree;
}

export function writeTree(tree: Tree): string {
  if (tree instanceof Raw) return tree.text;
  if (Array.isArray(tree)) return `[${tree.map(writeTree).join(',')}]`;
  if (typeof tree === 'object' && tree !== null) {
    const fields = tree.pairs.map(([name, value]) => `${writeName(name)}:${writeTree(value)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(tree);
}

/** A name that contains an escape is written without further escaping. */
function writeName(name: string): string {
  return name.startsWith('\\u') ? `"${name}"` : JSON.stringify(name);
}

const numbers = [
  '0',
  '-0',
  '-1',
  '1',
  '0.1',
  '118',
  '118.00',
  '118.001',
  '1e2',
  '1E-7',
  '1e308',
  '1e400',
  '-1e400',
  '5e-324',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '0.30000000000000004',
  '123456789012345678',
  '12345678901234.56',
  '0.1234567890123456789',
  '10000000000000',
  '100000000000.00',
  '99999999999.99',
  '4294967296',
  '2147483648',
  '1794700000',
  '99999999999999',
  '1e21',
  `${'9'.repeat(400)}`,
  `0.${'0'.repeat(400)}1`,
];
const texts = [
  '',
  ' ',
  '\t',
  '0',
  '-1',
  '1e5',
  '118',
  '118.0',
  'NaN',
  'Infinity',
  'null',
  'true',
  '०१२',
  ...[
    '😀',
    '👩‍👩‍👧‍👦',
    '\u202e\u200fabc',
    '\ufeff',
    '\uffff',
    'é'.normalize('NFD'),
    '\u0085\u2028',
    'ﷺ',
  ],
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'length',
  "' or 1=1 --",
  '"; drop',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '%00',
  '%s%n',
  'a\r\nx-evil: 1',
  '\u0001\u001b[31m',
  '../../..',
  'javascript:alert(1)',
  '4111111111111111',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(1_024),
  'x'.repeat(1_025),
  '😀'.repeat(600),
  'INR',
  'inr',
  'XXX',
  'JPY',
  'a@b.co',
  '2026-11-14T10:00:00Z',
  '9999-99-99',
  '+91',
];
const escapes = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ud83d\\ude00"',
  '"\\/"',
];
const nested = [15, 16, 17, 2_000].flatMap((depth) => [
  '['.repeat(depth) + ']'.repeat(depth),
  '{"a":'.repeat(depth) + '1'.padEnd(depth + 1, '}'),
]);

/** Edge-case values of all types. */
export const edgeValues: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...numbers).map(raw) },
  { weight: 6, arbitrary: fc.constantFrom<Tree>(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...escapes).map(raw) },
  { weight: 2, arbitrary: fc.constantFrom<Tree>(null, true, false, 0, '') },
  { weight: 1, arbitrary: fc.constantFrom('[]', '{}', '[null]', '[[]]', '{"a":1}').map(raw) },
  { weight: 1, arbitrary: fc.constantFrom(...nested).map(raw) },
  { weight: 1, arbitrary: anyText({ maxLength: 40 }) },
);

export const edgeNames = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  'length',
  '',
  '0',
  ' ',
  '😀',
  '\u202e',
  'a.b',
  'a/b',
  'a~b',
  'x'.repeat(65),
  'error',
  'status',
  'token',
  'encrypted_payload',
  'account_id',
  'order_id',
  'user_id',
  '\\u0000',
  '\\ud800',
  'x'.repeat(2_000),
  'card_number',
  '4111111111111111',
);

type Change = {
  readonly act: (typeof acts)[number];
  readonly at: number;
  readonly other: number;
  readonly name: string;
  readonly value: Tree;
};

const acts = [
  ...(['drop', 'replace', 'replace', 'replace', 'duplicate', 'repeat with another value'] as const),
  ...(['rename', 'add', 'swap', 'wrap', 'retype', 'nest'] as const),
];

export const changes: fc.Arbitrary<Change> = fc.record({
  act: fc.constantFrom(...acts),
  at: fc.nat(),
  other: fc.nat(),
  name: edgeNames,
  value: edgeValues,
});

/** Trees in which some fields are dropped, duplicated, replaced, renamed, swapped or nested. */
export function mutated(trees: fc.Arbitrary<Tree>, changesMax = 3): fc.Arbitrary<Tree> {
  return fc
    .tuple(trees, fc.array(changes, { maxLength: changesMax }))
    .map(([tree, chosen]) => chosen.reduce(change, clone(tree)));
}

type Place = { get: () => Tree; set: (value: Tree) => void; pairs?: Pairs['pairs']; index: number };

function change(root: Tree, { act, at, other, name, value }: Change): Tree {
  const places = placesIn(root);
  const place = places[at % places.length];
  const second = places[other % places.length];
  if (!place || !second) return value;
  const before = place.get();
  switch (act) {
    case 'drop':
      place.pairs?.splice(place.index, 1);
      break;
    case 'replace':
      place.set(value);
      break;
    case 'duplicate':
      place.pairs?.push([place.pairs[place.index]?.[0] ?? name, clone(before)]);
      break;
    case 'repeat with another value':
      place.pairs?.unshift([place.pairs[place.index]?.[0] ?? name, value]);
      break;
    case 'rename':
      place.pairs?.splice(place.index, 1, [name, before]);
      break;
    case 'add':
      place.pairs?.push([name, value]);
      break;
    case 'swap':
      place.set(clone(second.get()));
      break;
    case 'wrap':
      place.set([before]);
      break;
    case 'retype':
      place.set(typeof before === 'string' ? raw(numbers[other % numbers.length] ?? '0') : 'text');
      break;
    case 'nest':
      place.set({ pairs: [[name, before]] });
      break;
    default:
      act satisfies never;
  }
  return root;
}

/** Every field and element of a tree. */
function placesIn(tree: Tree): Place[] {
  if (tree instanceof Raw || typeof tree !== 'object' || tree === null) return [];
  if (Array.isArray(tree)) {
    return tree.flatMap((entry, index) => {
      const set = (value: Tree) => {
        tree[index] = value;
      };
      return [{ get: () => tree[index] ?? null, set, index }, ...placesIn(entry)];
    });
  }
  const { pairs } = tree;
  return pairs.flatMap((pair, index) => {
    const set = (value: Tree) => {
      pair[1] = value;
    };
    return [{ get: () => pair[1], set, pairs, index }, ...placesIn(pair[1])];
  });
}

function clone(tree: Tree): Tree {
  if (tree instanceof Raw || typeof tree !== 'object' || tree === null) return tree;
  if (Array.isArray(tree)) return tree.map(clone);
  return { pairs: tree.pairs.map(([name, value]) => [name, clone(value)]) };
}

const hostileBytes = [
  ...[[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0]],
  ...[[0xef, 0xbb, 0xbf], [0x0d, 0x0a], [0x22], [0x5c], [0x7b], [0x2c], [0x1f, 0x8b, 8, 0]],
].map((bytes) => Buffer.from(bytes));

const cuts = fc.record({
  kind: fc.constantFrom('truncate', 'insert', 'overwrite', 'splice', 'append', 'prepend'),
  at: fc.nat(),
  length: fc.nat({ max: 40 }),
  bytes: fc.oneof(
    fc.constantFrom(...hostileBytes),
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
  ),
});

/** One body in seven is cut, so that most are still parsed to the end. */
export function spliced(bodies: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const rarely = fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: cuts },
  );
  return fc.tuple(bodies, rarely).map(([body, how]) => {
    if (!how) return body;
    const at = how.at % (body.length + 1);
    const [head, tail] = [body.subarray(0, at), body.subarray(at)];
    switch (how.kind) {
      case 'truncate':
        return head;
      case 'insert':
        return Buffer.concat([head, how.bytes, tail]);
      case 'overwrite':
        return Buffer.concat([head, how.bytes, tail.subarray(how.bytes.length)]);
      case 'splice':
        return Buffer.concat([head, tail.subarray(how.length)]);
      case 'append':
        return Buffer.concat([body, how.bytes]);
      default:
        return Buffer.concat([how.bytes, body]);
    }
  });
}
