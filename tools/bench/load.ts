/** One measurement: a number of connections, each sending its next request as soon as the last is answered. */
import { readFile } from 'node:fs/promises';
import autocannon from 'autocannon';
import { listChildren, readStatFields } from '../harness/processes.ts';
import type { Request } from '../harness/send.ts';
import { withoutKeepAlive } from '../harness/service.ts';

/** Returns the next request to send. */
export type NextRequest = () => Request;

export type Measured = Awaited<ReturnType<typeof measure>>;

/** One line of the report. */
export type Row = { readonly what: string; readonly connections: number } & Measured;

export type Served = {
  readonly url: string;
  readonly pid: number;
  /** The database server; undefined for the floor, which has none. */
  readonly databasePid?: number;
};

export async function measure(
  served: Served,
  next: NextRequest,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
) {
  const before = await readCpu(served);
  const result = await autocannon({
    url: served.url,
    connections,
    duration: seconds,
    timeout: 30,
    requests: [
      {
        method: 'POST',
        setupRequest: (request) => {
          const { path, headers, body } = next();
          return { ...request, path, headers: { ...request.headers, ...headers }, body };
        },
      },
    ],
  });
  const requests = result.requests.total;
  const after = await readCpu(served);
  return {
    requests,
    perSecond: requests / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    /** CPU of the service process, and of the database server with its children. */
    cpuMicrosPerRequest: ((after.service - before.service) * 1e6) / requests,
    databaseMicrosPerRequest: ((after.database - before.database) * 1e6) / requests,
    memoryBytes: await memoryBytesOf(served.pid),
    /** Replies other than 200, and errors. */
    refused: result.non2xx + result.errors,
  };
}

/** Seconds of CPU that both have used since they started. */
export async function readCpu({ pid, databasePid }: Served) {
  const children = databasePid === undefined ? [] : await listChildren(databasePid);
  const ofDatabase = databasePid === undefined ? [] : [databasePid];
  return {
    service: await cpuSecondsOf([pid]),
    database: await cpuSecondsOf([...ofDatabase, ...children.map((child) => child.pid)]),
  };
}

const ticksPerSecond = 100;

/** User and system time, including that of children that have ended. From /proc on Linux; elsewhere everything is zero. */
async function cpuSecondsOf(pids: readonly number[]): Promise<number> {
  const fields = await Promise.all(pids.map((pid) => readStatFields(pid).catch(() => [])));
  const ticks = fields.flatMap((own) => [11, 12, 13, 14].map((index) => Number(own[index] ?? 0)));
  return ticks.reduce((sum, own) => sum + own, 0) / ticksPerSecond;
}

async function memoryBytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
}

/**
 * The longest pause of the event loop. The service resets this value at each read, so it covers the time since the last
 * one. An idle loop shows 11 ms.
 */
export async function readPauseMs({ url }: Served): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: withoutKeepAlive });
  const text = await response.text();
  const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text) ?? [];
  return Number(seconds) * 1_000;
}
