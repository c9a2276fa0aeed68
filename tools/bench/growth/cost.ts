/**
 * What a load costs: CPU of the service and of PostgreSQL per request, throughput, and the longest pause of the event
 * loop. CPU is the steadier measure on a noisy machine.
 */
import { measure, type NextRequest, readCpu, readPauseMs, type Served } from '../load.ts';
import { medianOf } from '../median.ts';
import { type Sending, sendEach } from '../send-each.ts';

export type Cost = {
  readonly requests: number;
  readonly perSecond: number;
  /** Of the service and of PostgreSQL, per request. */
  readonly cpuMicros: number;
  readonly pauseMs: number;
  /** Replies other than 2xx, and errors. */
  readonly refused: number;
};

const load = { connections: 64, seconds: 2 };

/** As many requests as are answered in two seconds. */
export async function measureLoad(served: Served, next: NextRequest): Promise<Cost> {
  await readPauseMs(served);
  const measured = await measure(served, next, load);
  return {
    requests: measured.requests,
    perSecond: measured.perSecond,
    cpuMicros: measured.cpuMicrosPerRequest + measured.databaseMicrosPerRequest,
    pauseMs: await readPauseMs(served),
    refused: measured.refused,
  };
}

/** These requests, each once. Every answer must have the expected status, or the cost is that of something else. */
export async function measureEach(
  served: Served,
  sending: Sending,
  expected: string,
): Promise<Cost> {
  await readPauseMs(served);
  const before = await readCpu(served);
  const { seconds, answers } = await sendEach(served.url, sending);
  const after = await readCpu(served);
  const requests = sending.requests.length;
  const cpuSeconds = after.service - before.service + after.database - before.database;
  return {
    requests,
    perSecond: requests / seconds,
    cpuMicros: (cpuSeconds * 1e6) / requests,
    pauseMs: await readPauseMs(served),
    refused: requests - (answers.get(expected) ?? 0),
  };
}

/**
 * One cost from several: the median of the throughput, the longest pause, and all CPU divided by all requests, because
 * background work that falls into one of them is part of the cost.
 */
export function combineCosts(costs: readonly Cost[]): Cost {
  const sumOf = (figureOf: (cost: Cost) => number) =>
    costs.reduce((sum, cost) => sum + figureOf(cost), 0);
  const requests = sumOf((cost) => cost.requests);
  return {
    requests,
    perSecond: medianOf(costs.map(({ perSecond }) => perSecond)),
    cpuMicros: sumOf((cost) => cost.cpuMicros * cost.requests) / requests,
    pauseMs: Math.max(...costs.map(({ pauseMs }) => pauseMs)),
    refused: sumOf(({ refused }) => refused),
  };
}

/**
 * Measures each case in turn, several times, so that all of them meet the same noise. The first round is the warm-up.
 * Every other round is reversed: what is measured right after another database was written to costs up to a tenth more.
 */
export async function measureInTurn<Name extends string>(
  rounds: number,
  cases: Readonly<Record<Name, (round: number) => Promise<Cost>>>,
): Promise<Record<Name, Cost>> {
  const entries = Object.entries(cases) as [Name, (round: number) => Promise<Cost>][];
  const found = entries.map(([name, run]) => ({ name, run, costs: [] as Cost[] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { run, costs } of round % 2 === 0 ? found : found.toReversed()) {
      const cost = await run(round);
      if (round > 0) costs.push(cost);
    }
  }
  const combined = found.map(({ name, costs }) => [name, combineCosts(costs)]);
  return Object.fromEntries(combined) as Record<Name, Cost>;
}
