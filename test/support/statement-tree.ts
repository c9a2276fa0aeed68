/**
 * Reads the query trees that PostgreSQL prints with `debug_print_parse`: nodes `{NAME :field value …}`, lists `( … )`,
 * nothing `<>`, and words in which a backslash escapes the next character. Some nodes have shorter names up to
 * PostgreSQL 15, such as `ROWCOMPARE`.
 */

export type Tree = TreeNode | readonly Tree[] | string | null;

export type TreeNode = {
  readonly kind: string;
  readonly fields: Readonly<Record<string, Tree>>;
};

export function readTree(text: string): TreeNode {
  const words = splitWords(text);
  const tree = readValue({ words, index: 0 });
  if (!isNode(tree)) throw new Error('the text of a query tree does not begin with a node');
  return tree;
}

export function isNode(tree: Tree | undefined): tree is TreeNode {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree);
}

/** The node in a field; undefined when there is none. */
export function findNode(node: TreeNode, field: string): TreeNode | undefined {
  const value = node.fields[field];
  return isNode(value) ? value : undefined;
}

/** The nodes of a list, or none. */
export function nodesOf(node: TreeNode, field: string): readonly TreeNode[] {
  return itemsOf(node, field).filter(isNode);
}

export function itemsOf(node: TreeNode, field: string): readonly Tree[] {
  const value = node.fields[field];
  return Array.isArray(value) ? value : [];
}

export function textOf(node: TreeNode, field: string): string {
  const value = node.fields[field];
  return typeof value === 'string' ? value : '';
}

/** A number or an oid; 0 when the field is missing, which is how PostgreSQL says "none". */
export function numberOf(node: TreeNode, field: string): number {
  return Number(textOf(node, field) || 0);
}

/** Calls `visit` for every node of one query: queries inside of it are not entered. */
export function walkQuery(query: TreeNode, visit: (node: TreeNode) => void): void {
  const walk = (tree: Tree): void => {
    if (Array.isArray(tree)) {
      for (const item of tree) walk(item);
    } else if (isNode(tree) && tree.kind !== 'QUERY') {
      visit(tree);
      for (const value of Object.values(tree.fields)) walk(value);
    }
  };
  for (const value of Object.values(query.fields)) walk(value);
}

type Reader = { readonly words: readonly string[]; index: number };

/**
 * Brackets are words of their own unless they are escaped. PostgreSQL breaks long lines at spaces, also behind the
 * backslash of an escaped one.
 */
function splitWords(text: string): string[] {
  return text.match(/[{}()[\]]|(?:\\[\s\S]|[^\s{}()[\]\\])+/g) ?? [];
}

function readValue(reader: Reader): Tree {
  const word = reader.words[reader.index];
  reader.index += 1;
  if (word === undefined) throw new Error('the text of a query tree ends too early');
  if (word === '{') return readNode(reader);
  if (word === '(') return readList(reader, ')');
  if (word === '[') return readList(reader, ']');
  if (word === '<>') return null;
  return plainWord(word);
}

function readNode(reader: Reader): TreeNode {
  const { words } = reader;
  const kind = words[reader.index] ?? '';
  reader.index += 1;
  const fields: Record<string, Tree> = {};
  while (words[reader.index] !== '}') {
    const name = words[reader.index] ?? '';
    if (!name.startsWith(':')) throw new Error(`expected a field of ${kind}, not ${name}`);
    reader.index += 1;
    fields[name.slice(1)] = readField(reader);
  }
  reader.index += 1;
  return { kind, fields };
}

/** A constant is its length and its bytes: a field of two values. */
function readField(reader: Reader): Tree {
  const values: Tree[] = [];
  while (!/^[:}]/.test(reader.words[reader.index] ?? '}')) values.push(readValue(reader));
  return values.length > 1 ? values : (values[0] ?? null);
}

/** Lists of numbers begin with their type: `(o 25 25)` for oids, `(b 8 9)` for a set. */
function readList(reader: Reader, end: string): Tree[] {
  const items: Tree[] = [];
  if (/^[biox]$/.test(reader.words[reader.index] ?? '')) reader.index += 1;
  while (reader.words[reader.index] !== end) items.push(readValue(reader));
  reader.index += 1;
  return items;
}

function plainWord(word: string): string {
  const bare = /^"[\s\S]*"$/.test(word) ? word.slice(1, -1) : word;
  return bare.replace(/\\([\s\S])/g, (_, character: string) => character.replace('\n', ' '));
}
