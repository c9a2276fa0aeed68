/** Exports traces by OTLP over HTTP. The queue of spans is limited, so a slow collector delays nothing. */
import { setTimeout as delay } from 'node:timers/promises';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyInstance } from 'fastify';
import { StartError } from '../domain/start-error.ts';
import type { Database } from '../postgres/database.ts';
import type { CallProvider } from '../providers/call.ts';
import type { SendEvent } from '../services/event-sender.ts';
import { throttle } from '../services/throttle.ts';
import { createSpans } from './spans.ts';
import { traceDatabase, traceEvents, traceProviderCalls } from './trace-calls.ts';
import { traceRequests } from './trace-requests.ts';

/** Limits of the export of traces. Contract 1.11. */
const traceLimits = {
  /** Spans that wait to be exported; further ones are dropped. A shutdown waits for `traceFlushMsMax`. */
  traceSpansQueuedMax: 2_048,
  traceExportIntervalMs: 2_000,
  traceFlushMsMax: 1_000,
  /** A collector that cannot be reached is logged at most this often. */
  traceWarningMs: 60_000,
} as const;

const serviceName = 'payment-order-service';

export type Tracing = ReturnType<typeof startTracing>;

/** Each function of the result returns, or extends, the same part with spans around what it does. */
export function startTracing(env: Environment, warn: (error: unknown) => void) {
  setGlobalErrorHandler(throttle(traceLimits.traceWarningMs, warn));
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override ours.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': serviceName }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: chooseSampler(env),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter(),
        maxQueueSize: traceLimits.traceSpansQueuedMax,
        scheduledDelayMillis: traceLimits.traceExportIntervalMs,
      }),
    ],
  });
  const spans = createSpans(provider.getTracer(serviceName));
  return {
    traceRequests: (app: FastifyInstance) => traceRequests(spans, app),
    traceDatabase: (database: Database) => traceDatabase(spans, database),
    traceProviderCalls: (call: CallProvider) => traceProviderCalls(spans, call),
    traceEvents: (send: SendEvent) => traceEvents(spans, send),
    stop: async () => {
      const exported = provider.shutdown().catch(() => {});
      await Promise.race([exported, delay(traceLimits.traceFlushMsMax, undefined, { ref: false })]);
    },
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

const samplers: Readonly<Record<string, (env: Environment) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (env) => new TraceIdRatioBasedSampler(readRatio(env)),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (env) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(readRatio(env)) }),
};

/** Which traces are exported, by the standard variables OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */
export function chooseSampler(env: Environment): Sampler {
  const name = env.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on';
  const create = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (create) return create(env);
  throw new StartError(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(', ')}.`);
}

function readRatio(env: Environment): number {
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG?.trim() || 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new StartError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
}
