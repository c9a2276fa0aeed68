/**
 * Every reference inside the repository resolves: to a paragraph of docs/contract.md, to a page of docs/decisions, or to a
 * file and a heading in it. Whoever clones the project has nothing else to look in.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = new URL('../', import.meta.url).pathname;
const contractPage = 'docs/contract.md';
/** Applied migrations are never edited, so their comments have the older word for a paragraph. */
const olderWord = 'migrations';

const texts = new Map(listTexts().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const pages = [...texts].filter(([file]) => file.endsWith('.md'));
const contract = texts.get(contractPage) ?? '';
const paragraphs = [...contract.matchAll(/^\*\*(\d+\.\d+)\*\* /gm)].map(
  ([, number = '']) => number,
);
const sections = [...contract.matchAll(/^## (\d+)\. /gm)].map(([, number = '']) => number);

const number = /\d+(?:\.\d+)?/;
const numbers = `${number.source}(?:(?:, and |, | and | to )${number.source})*`;

test('the paragraphs of the contract are numbered in order, each once', () => {
  const [first = ''] = sections;
  assert.equal(first, '1');
  const inOrder = sections.flatMap((section) => {
    const own = paragraphs.filter((paragraph) => paragraph.startsWith(`${section}.`));
    return own.map((_paragraph, index) => `${section}.${index + 1}`);
  });
  assert.deepEqual(paragraphs, inOrder);
});

test('every reference to the contract names one of its paragraphs', () => {
  const missing: string[] = [];
  let count = 0;
  for (const [file, text] of texts) {
    const word = file.startsWith(olderWord) ? 'Decisions?' : 'contract';
    for (const [, list = ''] of inOneLine(text).matchAll(RegExp(`\\b${word} (${numbers})`, 'gi'))) {
      count += 1;
      const unknown = list.match(RegExp(number, 'g'))?.filter((name) => !isInContract(name)) ?? [];
      missing.push(...unknown.map((name) => `${file}: ${word} ${name}`));
    }
  }
  assert.ok(count > 100, 'the references are found');
  // Within the page a paragraph is cited by its number alone.
  const cited = withoutCode(contract).match(/(?<![\d.])[1-9]\d?\.\d{1,2}(?![\d.]*\d)/g) ?? [];
  missing.push(
    ...cited.filter((name) => !isInContract(name)).map((name) => `${contractPage}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('no reference points to a document outside of the repository', () => {
  const older = /\b(?:Decisions?|Invariants?) \d/;
  const left = [...texts]
    .filter(([file, text]) => !file.startsWith(olderWord) && older.test(inOneLine(text)))
    .map(([file]) => file);
  assert.deepEqual(left, []);
});

test('every reference to a decision page leads to it', () => {
  const decisions = readdirSync(join(root, 'docs/decisions'));
  const numbered = new Set(decisions.map((file) => file.slice(0, 4)));
  const missing: string[] = [];
  for (const [file, text] of texts) {
    for (const [, name = ''] of text.matchAll(/\bdecisions\/(\d{4}[\w-]*(?:\.md)?)/g)) {
      const isThere = name.endsWith('.md') ? decisions.includes(name) : numbered.has(name);
      if (!isThere) missing.push(`${file}: ${name}`);
    }
  }
  for (const [file, text] of pages) {
    const plain = withoutCode(text).replaceAll(/\bmigrations? \d{4}/g, '');
    for (const [, shown = '', target = ''] of plain.matchAll(/\[(\d{4})\]\(([^)]*)\)/g)) {
      if (!target.includes(`${shown}-`)) missing.push(`${file}: ${shown} leads to ${target}`);
    }
    const bare = plain.replaceAll(/\]\([^)]*\)/g, ']').match(/(?<![\w.,:/+-])00\d{2}\b(?![.,]\d)/g);
    const unknown = bare?.filter((name) => !numbered.has(name)) ?? [];
    missing.push(...unknown.map((name) => `${file}: ${name}`));
  }
  assert.deepEqual(missing, []);
});

test('every relative link of a page leads to a file, and to a heading in it', () => {
  const broken: string[] = [];
  for (const [file, text] of pages) {
    for (const link of linksOf(text)) {
      const [path = '', anchor] = link.split('#');
      const target =
        path === '' ? file : relative(root, join(root, dirname(file), decodeURI(path)));
      const isThere =
        existsSync(join(root, target)) &&
        (anchor === undefined || headingsOf(texts.get(target) ?? '').includes(anchor));
      if (!isThere) broken.push(`${file}: ${link}`);
    }
  }
  assert.deepEqual(broken, []);
});

function isInContract(name: string): boolean {
  return paragraphs.includes(name) || sections.includes(name);
}

/** The text files that we write; what npm, git and a running service leave behind is not ours. */
function listTexts(): string[] {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
    .map(({ name }) => `${name}/**/*.{ts,js,md,sql,yml,yaml,json}`);
  const files = globSync([...folders, '*.md'], { cwd: root });
  return files.filter((file) => !file.includes('node_modules/')).sort();
}

/** A comment may break a line within a reference. */
function inOneLine(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/|--)?[ \t]*/g, ' ');
}

function withoutCode(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`]*`/g, '');
}

function linksOf(page: string): string[] {
  const plain = withoutCode(page);
  const inline = plain.matchAll(/\]\(([^)\s]+)[^)]*\)/g);
  const defined = plain.matchAll(/^\[[^\]]+\]: *(\S+)/gm);
  return [...inline, ...defined]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** The anchors that GitHub gives to the headings of a page. */
function headingsOf(page: string): string[] {
  const seen = new Map<string, number>();
  const plain = page.replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...plain.matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}
