/** Loads what exports traces, if they are wanted: otherwise none of its modules is loaded. Contract 1.11. */
import cluster from 'node:cluster';
import type { Tracing } from '../tracing/tracing.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

export async function loadTracing(
  { traceEndpoint, workers }: Config,
  log: Log,
): Promise<Tracing | undefined> {
  if (traceEndpoint === undefined || process.env.OTEL_SDK_DISABLED === 'true') return undefined;
  // The first of several processes serves no requests.
  if (workers > 1 && cluster.isPrimary) return undefined;
  const { startTracing } = await import('../tracing/start-tracing.ts');
  return startTracing(process.env, (error) => {
    log.warn({ err: error }, 'traces could not be exported');
  });
}
