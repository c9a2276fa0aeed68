/** The report: ratios first, because absolute numbers do not compare between machines. */
import { cpus } from 'node:os';
import type { Hanging } from './hanging-provider.ts';
import type { Row } from './load.ts';
import type { FloorRatios } from './ratios.ts';

export type Ratios = FloorRatios & {
  readonly hanging: Hanging;
  /** Webhooks of an account with one endpoint, compared with one without. */
  readonly told: number;
  readonly workers: number;
};

export function reportOf(rows: readonly Row[], ratios: Ratios, connections: number): string {
  const { hanging, told, workers } = ratios;
  const ratioRows: readonly (readonly [what: string, ratio: number, must: string])[] = [
    ['create order / bare Fastify', ratios.create, '0.50'],
    ['create order / one insert per commit', ratios.createPerInsert, '0.80'],
    ['enquiry by order id / bare Fastify', ratios.enquiry, '0.65'],
    ['partner webhook, applied / bare Fastify', ratios.webhook, '0.30'],
    ['partner webhook with one endpoint / without', told, '0.85'],
    ['create order p99 / p50', ratios.createSpread, '4 or less'],
    ['two WORKERS / one, create order', workers, '1.0'],
    [`create order beside ${hanging.waiting} hanging payments / without`, hanging.create, '0.9'],
    [`enquiry beside ${hanging.waiting} hanging payments / without`, hanging.enquiry, '0.9'],
  ];
  return `# Benchmark

\`npm run bench\` on ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), with the load generator and the
database on them. Floors: a bare Fastify route that parses and validates the same body, signs two tokens and
answers the same reply without a database; a bare loop that inserts the row of an order, one per commit,
64 in flight (${ratios.insertsPerSecond.toFixed(0)}/s in this run). Each ratio is the middle one of five, taken beside its floor.

| at ${connections} connections | ratio | must |
|---|---:|---:|
${ratioRows.map(([what, ratio, must]) => `| ${what} | ${ratio.toFixed(2)} | ${must} |`).join('\n')}

| what | connections | per second | p50 ms | p99 ms | CPU µs | database µs | memory MB | not 200 |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
${rows.map(line).join('\n')}

![throughput and p99 against connections](throughput.svg)
`;
}

function line(row: Row): string {
  const cells = [
    row.what,
    row.connections,
    row.perSecond.toFixed(0),
    row.p50Ms,
    row.p99Ms,
    row.cpuMicrosPerRequest.toFixed(0),
    row.databaseMicrosPerRequest.toFixed(0),
    (row.memoryBytes / 1e6).toFixed(0),
    row.refused,
  ];
  return `| ${cells.join(' | ')} |`;
}
