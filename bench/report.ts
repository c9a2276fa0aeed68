/** What was measured, as a page: ratios first, since figures of another machine say little. */
import { cpus } from 'node:os';
import type { Hanging } from './hanging-provider.ts';
import type { Row } from './main.ts';

export type Ratios = {
  readonly connections: number;
  readonly inserts: number;
  readonly hanging: Hanging;
  readonly workers: number;
};

export function reportOf(rows: readonly Row[], ratios: Ratios): string {
  const { connections, inserts, hanging, workers } = ratios;
  const of = (what: string) =>
    rows.find((row) => row.what === what && row.connections === connections);
  const perSecond = (what: string) => of(what)?.perSecond ?? 0;
  const floor = perSecond('floor: bare Fastify');
  const create = of('create order');
  const ratioRows: readonly (readonly [what: string, ratio: number, must: string])[] = [
    ['create order / bare Fastify', perSecond('create order') / floor, '0.50'],
    ['create order / one insert per commit', perSecond('create order') / inserts, '0.80'],
    ['enquiry by order id / bare Fastify', perSecond('enquiry by order id') / floor, '0.50'],
    ['partner webhook, applied / bare Fastify', perSecond('partner webhook') / floor, '0.35'],
    ['create order p99 / p50', (create?.p99Ms ?? 0) / (create?.p50Ms ?? 1), '4 or less'],
    ['two WORKERS / one, create order', workers, '1.0'],
    [`create order beside ${hanging.waiting} hanging payments / without`, hanging.create, '0.9'],
    [`enquiry beside ${hanging.waiting} hanging payments / without`, hanging.enquiry, '0.9'],
  ];
  return `# Benchmark

\`npm run bench\` on ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), with the load generator and the
database on them. Floors: a bare Fastify route that parses and validates the same body, signs two tokens and
answers the same reply without a database; a bare loop that inserts the row of an order, one per commit,
64 in flight (${inserts.toFixed(0)}/s in this run).

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
