/** The composition root: builds the HTTP application and hands each scope what it needs. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { createBounds, limitNetworks } from '../http/bounds.ts';
import { checkoutPage } from '../http/checkout/checkout-page.ts';
import { logoRoute } from '../http/checkout/logo.ts';
import { payPages } from '../http/checkout/pay-pages.ts';
import { compilersFactory } from '../http/compile-schemas.ts';
import { limitConcurrency } from '../http/concurrency-limit.ts';
import { answerPreflight, isPreflightOfUnknownPath } from '../http/cross-origin.ts';
import { dashboardApi } from '../http/dashboard/dashboard-api.ts';
import { dashboardPages } from '../http/dashboard/dashboard-pages.ts';
import { addCommonHeaders, sendError, serviceUnavailable } from '../http/error-reply.ts';
import type { HttpContext } from '../http/http-context.ts';
import { iconRoutes } from '../http/icon.ts';
import { httpLimits } from '../http/limits.ts';
import { merchantApi, olderMerchantApi } from '../http/merchant/merchant-api.ts';
import type { OpenApi } from '../http/open-api/model.ts';
import { addOpenApi } from '../http/open-api/open-api.ts';
import { type Metrics, measureRequests } from '../http/operator/metrics.ts';
import { type OperatorParts, operatorApi } from '../http/operator/operator-api.ts';
import { measureService } from '../http/operator/service-metrics.ts';
import {
  answerClientError,
  endLine,
  findMissingHost,
  handleExpectHeader,
  logRequests,
  newRequestId,
  restoreMethod,
  shareRoutes,
} from '../http/protocol.ts';
import { closeSlowReaders, limitConnections, type SlowReaderLimits } from '../http/slow-readers.ts';
import { webhookApi } from '../http/webhooks/webhook-api.ts';
import type { Services } from '../services/services.ts';
import { bindUseCases } from '../use-cases/bind-use-cases.ts';
import { createCountersReader } from '../use-cases/upkeep/read-counters.ts';
import type { Log } from './log.ts';

type AppParts = OperatorParts &
  SlowReaderLimits & {
    readonly services: Services;
    readonly metrics: Metrics;
    readonly log: Log;
    /** False while the service waits for the database: until then every call is answered 503. */
    readonly isPrepared?: () => boolean;
    /** True while the process shuts down: connections are closed after their reply. */
    readonly isDraining?: () => boolean;
    readonly connectionsMax?: number;
    readonly traceRequests?: ((app: FastifyInstance) => void) | undefined;
    readonly countersCachedMs?: number;
  };

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { services, metrics, log } = parts;
  const app = createFastify(log);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(async () => undefined);
  app.addHook('onRequest', (request, reply, done) => {
    restoreMethod(request.raw);
    addCommonHeaders(request, reply);
    if (isPreflightOfUnknownPath(request)) {
      answerPreflight(reply, 'GET, PATCH, POST, PUT').send();
      return;
    }
    // Here rather than in the not-found handler, so that the body of such a request is never read.
    done(request.is404 ? new ServiceError('NOT_FOUND') : findMissingHost(request, reply));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (parts.isDraining?.()) reply.header('connection', 'close');
    done(null, endLine(reply, payload));
  });
  handleExpectHeader(app);
  closeSlowReaders(app, parts);
  limitConnections(app, parts.connectionsMax ?? httpLimits.connectionsMax);
  measureRequests(app, metrics);
  parts.traceRequests?.(app);
  logRequests(app, log);
  measureService(
    metrics.registry,
    { ...services, queueStats: services.database.queueStats },
    createCountersReader(
      { ...services, database: services.maintenance },
      { cachedMs: parts.countersCachedMs },
    ),
  );

  const context: HttpContext = {
    ...services,
    useCases: bindUseCases(services),
    holdSlot: createBounds(),
  };
  await addOpenApi(app, services.settings.publicUrl, loadWebhooks);
  // Operator routes are outside the concurrency limit: operators must see what happens when it is reached.
  await app.register(async (scope) => {
    scope.addHook('onRequest', (_request, _reply, done) => {
      done(parts.isPrepared?.() === false ? serviceUnavailable : undefined);
    });
    const { onShed } = services.database.queueStats.addQueue('requests', () =>
      admissionQueue.countWaiting(),
    );
    const admissionQueue = limitConcurrency(scope, {
      concurrentRequestsMax: httpLimits.concurrentRequestsMax,
      queueMax: httpLimits.admissionQueueMax,
      queueBytesMax: httpLimits.admissionQueueBytesMax,
      onShed,
    });
    limitNetworks(scope, context.holdSlot, services.settings.trustedProxies);
    await addApi(scope, context);
    await scope.register(checkoutPage(context));
    await scope.register(payPages(context));
    await scope.register(logoRoute(context));
    await scope.register(dashboardApi(context), { prefix: '/dashboard/api' });
    await scope.register(dashboardPages(context));
  });
  await app.register(operatorApi(parts));
  await app.register(iconRoutes);
  await app.ready();
  return app;
}

async function addApi(app: FastifyInstance, context: HttpContext): Promise<void> {
  await app.register(merchantApi(context), { prefix: '/api/v3' });
  await app.register(olderMerchantApi(context), { prefix: '/api/v2' });
  await app.register(webhookApi(context), { prefix: '/api/v3/webhooks' });
}

async function loadWebhooks() {
  const { describeWebhooks } = await import('../http/merchant/event-webhooks.ts');
  return describeWebhooks();
}

/** The OpenAPI document without a database: the routes are added, their schemas validated, and none is called. */
export async function describeApi(publicUrl: string): Promise<OpenApi> {
  const customOptions = { ...ajv.customOptions, validateSchema: true };
  const app = Fastify({ ajv: { customOptions } });
  await addOpenApi(app, publicUrl, loadWebhooks);
  await addApi(app, {} as HttpContext);
  await app.register(operatorApi({} as OperatorParts));
  await app.ready();
  return app.openApi();
}

function createFastify(log: Log): FastifyInstance {
  return Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytesMax,
    routerOptions: { maxParamLength: limits.textCharsMax },
    requestTimeout: httpLimits.requestArrivalMsMax,
    keepAliveTimeout: httpLimits.keepAliveMs,
    // A request without Host is refused by `findMissingHost`, whose reply has the shape of the contract.
    http: {
      requireHostHeader: false,
      headersTimeout: httpLimits.requestArrivalMsMax,
      connectionsCheckingInterval: 1_000,
    },
    requestIdHeader: false,
    // A logger per request would cost time, and most requests log nothing. Log lines name their request themselves.
    childLoggerFactory: (logger) => logger,
    genReqId: newRequestId,
    clientErrorHandler: answerClientError,
    rewriteUrl: shareRoutes,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    ajv,
    schemaController: { compilersFactory },
  });
}

const ajv = {
  // The request is validated as it was sent: nothing is coerced, defaulted or removed.
  customOptions: {
    coerceTypes: false,
    useDefaults: false,
    removeAdditional: false,
    allErrors: false,
    allowUnionTypes: true,
    // Compiling the schema of JSON Schema takes as long as all of ours. `describeApi`, which tests call, does it.
    validateSchema: false,
  },
} as const;
