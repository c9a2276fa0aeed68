/** The result of a run as a table, and which promises it broke. */
import type { FaultFigures } from './figures.ts';
import type { RunResult } from './run.ts';

/** Contract 15.2: a promoted server is found in this time, once it commits. */
const servingMsMax = 2_000;

export function printResult(result: RunResult): void {
  const rows = [heading, ...result.faults.map(rowOf)];
  const widths = heading.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
  const { creates, webhooks, lost, doubled, verified } = result;
  console.log(
    `\n${creates} creates and ${webhooks} webhooks were answered 2xx: ${lost.length} lost, ${doubled.length} doubled.`,
  );
  console.log(`verify: ${verified.orders} orders, ${verified.breaches.length} breaches.`);
}

/** Empty if every promise was kept. */
export function listBroken(result: RunResult): string[] {
  const { lost, doubled, unanswered, verified } = result;
  return [
    ...result.faults.flatMap((figures) =>
      brokenIn(figures).map((text) => `${figures.fault}: ${text}`),
    ),
    ...lost.map((text) => `lost: ${text}`),
    ...doubled.map((text) => `doubled: ${text}`),
    ...unanswered.map((text) => `unanswered: ${text}`),
    ...verified.breaches.map((breach) => `verify: ${JSON.stringify(breach)}`),
  ];
}

const heading = [
  ...['fault', '2xx', '503', 'other', 'promoted', 'no commit', 'no 2xx'],
  ...['after promotion', 'after commit', 'lost', 'doubled'],
];

function rowOf(figures: FaultFigures): string[] {
  const services = Object.values(figures.services);
  const { good, unavailable, other } = sumsOf(figures);
  return [
    figures.text,
    ...[good, unavailable, other].map(String),
    seconds(figures.promotionMs),
    seconds(figures.databaseGapMs),
    range(services.map(({ gapMs }) => gapMs)),
    range(services.map(({ afterPromotionMs }) => afterPromotionMs)),
    range(services.map(({ afterCommitMs }) => afterCommitMs)),
    ...[figures.lost, figures.doubled].map(({ length }) => String(length)),
  ];
}

function brokenIn(figures: FaultFigures): string[] {
  const { other } = sumsOf(figures);
  const late = Object.entries(figures.services).filter(
    ([, { afterCommitMs }]) => afterCommitMs > servingMsMax,
  );
  return [
    ...(other > 0 ? [`answers other than 2xx and 503: ${JSON.stringify(figures.statuses)}`] : []),
    ...(figures.unavailableWithoutRetryAfter > 0 ? ['503 without Retry-After'] : []),
    ...late.map(([name, { afterCommitMs }]) => `${name} served ${afterCommitMs} ms after a commit`),
    ...figures.lost.map((text) => `lost: ${text}`),
    ...figures.doubled.map((text) => `doubled: ${text}`),
    ...figures.defects.map((text) => `logged: ${text}`),
  ];
}

function sumsOf({ statuses }: FaultFigures) {
  const sum = (isWanted: (status: number) => boolean) =>
    Object.entries(statuses)
      .filter(([status]) => isWanted(Number(status)))
      .reduce((total, [, count]) => total + count, 0);
  const isGood = (status: number) => status >= 200 && status < 300;
  return {
    good: sum(isGood),
    unavailable: sum((status) => status === 503),
    other: sum((status) => !isGood(status) && status !== 503),
  };
}

function range(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '-';
  const [lowest, highest] = [seconds(Math.min(...known)), seconds(Math.max(...known))];
  return lowest === highest ? lowest : `${lowest} to ${highest}`;
}

function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '-' : `${(milliseconds / 1000).toFixed(1)} s`;
}
