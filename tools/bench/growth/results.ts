/**
 * The results page: a section per part. A run that measures only some parts replaces their sections and keeps the
 * others, because each ratio is taken within one run.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Cost } from './cost.ts';

/** `grown` is compared with `base`, the small case of the same run. */
export type Row = { readonly what: string; readonly base: Cost; readonly grown: Cost };

const page = new URL('../GROWTH.md', import.meta.url);
const aim = 1.2;

const head = `# Growth

Written by \`npm run bench:growth\` on ${cpus().length} cores, with the load generator and the database on them. Each line compares a
large case with the small case of the same run, measured in turn at 64 connections unless it says otherwise. *CPU* is
that of the service and of PostgreSQL for one request, background work included. *Time* compares the throughput.
*Pause* is the longest delay of the event loop; an idle process shows 11 ms, because it is sampled every 10 ms.`;

type Section = { readonly name: string; readonly title: string; readonly text: string };

/** `names` are those of all parts, in the order of the page. */
export async function saveSection(names: readonly string[], section: Section): Promise<void> {
  const before = await readFile(page, 'utf8').catch(() => '');
  const sections = before.split(/^(?=## )/m).slice(1);
  const byName = new Map(sections.map((text) => [nameOf(text), text.trim()]));
  const { name, title, text } = section;
  byName.set(name, `## ${title}\n\n\`${name}\`: ${text.trim()}`);
  const inOrder = names.flatMap((own) => byName.get(own) ?? []);
  await writeFile(page, `${[head, ...inOrder].join('\n\n')}\n`);
}

/** The first word of a section's text is the name of its part. */
function nameOf(section: string): string {
  return /^`([a-z]+)`:/m.exec(section)?.[1] ?? '';
}

export function tableOf(base: string, grown: string, rows: readonly Row[]): string {
  const titles = [
    'what',
    `${base}, per second`,
    `${grown}, per second`,
    'time',
    `${base}, CPU µs`,
    `${grown}, CPU µs`,
    'CPU',
    'aim',
    `${base}, pause ms`,
    `${grown}, pause ms`,
    'not as expected',
  ];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|---|${'---:|'.repeat(titles.length - 1)}`;
  return [line(titles), rule, ...rows.map((row) => line(cellsOf(row)))].join('\n');
}

function cellsOf({ what, base, grown }: Row): string[] {
  return [
    what,
    base.perSecond.toFixed(0),
    grown.perSecond.toFixed(0),
    (base.perSecond / grown.perSecond).toFixed(2),
    base.cpuMicros.toFixed(0),
    grown.cpuMicros.toFixed(0),
    (grown.cpuMicros / base.cpuMicros).toFixed(2),
    `${aim} or less`,
    base.pauseMs.toFixed(0),
    grown.pauseMs.toFixed(0),
    String(base.refused + grown.refused),
  ];
}
