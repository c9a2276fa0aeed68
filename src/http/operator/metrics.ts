/** The registry of Prometheus metrics, and those of HTTP requests. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its reply.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers: [registry],
    }),
    authenticationFailures: new Counter({
      name: 'authentication_failures_total',
      help: 'Requests answered 401.',
      labelNames: ['route'],
      registers: [registry],
    }),
  };
}

/** The label is the pattern of the route, never the URL: every id would make a series of its own. */
export function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  // prom-client's lookup by labels costs more than the rest of the hook, and there are few series.
  const series = new Map<string, { readonly observe: (seconds: number) => void }>();
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const status = reply.statusCode;
    const route = request.routeOptions.url ?? 'unknown';
    const name = `${method} ${route} ${status}`;
    let own = series.get(name);
    if (!own) {
      own = metrics.requestSeconds.labels({ method, route, status });
      series.set(name, own);
    }
    own.observe(reply.elapsedTime / 1000);
    if (status === 401) metrics.authenticationFailures.inc({ route });
    done();
  });
}
