/**
 * Exports traces by OTLP over HTTP. Spans wait in a queue of limited length and are dropped when it is full, so a
 * collector that is slow or gone delays nothing. The exporter reads its own standard variables (docs/deploy.md).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { throttle } from '../services/throttle.ts';
import { chooseSampler } from './choose-sampler.ts';
import { traceLimits } from './limits.ts';
import { createSpans } from './spans.ts';
import { traceEvents, traceProviderCalls } from './trace-calls.ts';
import { traceDatabase } from './trace-database.ts';
import { traceRequests } from './trace-requests.ts';
import type { Tracing } from './tracing.ts';

const serviceName = 'payment-order-service';

export function startTracing(
  env: Readonly<Record<string, string | undefined>>,
  warn: (error: unknown) => void,
): Tracing {
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
    traceRequests: (app) => traceRequests(spans, app),
    traceDatabase: (database) => traceDatabase(spans, database),
    traceProviderCalls: (call) => traceProviderCalls(spans, call),
    traceEvents: (send) => traceEvents(spans, send),
    stop: async () => {
      const exported = provider.shutdown().catch(() => {});
      await Promise.race([exported, delay(traceLimits.traceFlushMsMax, undefined, { ref: false })]);
    },
  };
}
