/** The end of a run as text, and which promises were broken: the same for every kind of cluster. */
import type { AnswerCounts, CommonFigures } from './figures.ts';
import type { RunResult } from './stage.ts';

/** What a kind of cluster measures beyond the common figures. */
export type Report<Figures extends CommonFigures> = {
  readonly heading: readonly string[];
  readonly rowOf: (figures: Figures) => readonly string[];
  readonly brokenIn: (figures: Figures) => readonly string[];
};

export function printResult<Figures extends CommonFigures>(
  { heading, rowOf }: Report<Figures>,
  result: RunResult<Figures>,
): void {
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
export function listBroken<Figures extends CommonFigures>(
  { brokenIn }: Report<Figures>,
  result: RunResult<Figures>,
): string[] {
  const { lost, doubled, unanswered, verified } = result;
  return [
    ...result.faults.flatMap((figures) =>
      [...commonlyBroken(figures), ...brokenIn(figures)].map((text) => `${figures.fault}: ${text}`),
    ),
    ...lost.map((text) => `lost: ${text}`),
    ...doubled.map((text) => `doubled: ${text}`),
    ...unanswered.map((text) => `unanswered: ${text}`),
    ...verified.breaches.map((breach) => `verify: ${JSON.stringify(breach)}`),
  ];
}

function commonlyBroken(figures: CommonFigures): string[] {
  const { other } = sumsOf(figures);
  return [
    ...(other > 0 ? [`answers other than 2xx and 503: ${JSON.stringify(figures.statuses)}`] : []),
    ...(figures.unavailableWithoutRetryAfter > 0 ? ['503 without Retry-After'] : []),
    ...figures.lost.map((text) => `lost: ${text}`),
    ...figures.doubled.map((text) => `doubled: ${text}`),
    ...figures.defects.map((text) => `logged: ${text}`),
  ];
}

export function sumsOf({ statuses }: Pick<AnswerCounts, 'statuses'>) {
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

export function range(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return '-';
  const [lowest, highest] = [seconds(Math.min(...known)), seconds(Math.max(...known))];
  return lowest === highest ? lowest : `${lowest} to ${highest}`;
}

export function seconds(milliseconds: number | null): string {
  return milliseconds === null ? '-' : `${(milliseconds / 1000).toFixed(1)} s`;
}
