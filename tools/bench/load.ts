/** One measurement: a number of connections, each sending its next request as soon as the last is answered. */
import autocannon from 'autocannon';
import { cpuSecondsOf, memoryBytesOf } from './process-usage.ts';

export type Request = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Returns the next request to send. */
export type NextRequest = () => Request;

export type Measured = {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of the service process, and of the database server with its children. */
  readonly cpuMicrosPerRequest: number;
  readonly databaseMicrosPerRequest: number;
  readonly memoryBytes: number;
  /** Replies other than 200, and errors. */
  readonly refused: number;
};

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
): Promise<Measured> {
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
    cpuMicrosPerRequest: ((after.service - before.service) * 1e6) / requests,
    databaseMicrosPerRequest: ((after.database - before.database) * 1e6) / requests,
    memoryBytes: await memoryBytesOf(served.pid),
    refused: result.non2xx + result.errors,
  };
}

/** Seconds of CPU that both have used since they started. */
export async function readCpu({ pid, databasePid }: Served) {
  const service = await cpuSecondsOf(pid);
  const isThere = databasePid !== undefined;
  const database = isThere ? await cpuSecondsOf(databasePid, { withChildren: true }) : 0;
  return { service, database };
}
