/** The composition root: builds the HTTP application and hands each scope what it needs. */
import swagger from '@fastify/swagger';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { ServiceError } from './domain/errors.ts';
import { limits } from './domain/limits.ts';
import { answerClientError } from './http/client-error.ts';
import { addCommonHeaders, sendError } from './http/error-reply.ts';
import { launchPage } from './http/launch-page.ts';
import { merchantApi } from './http/merchant-api.ts';
import { type Metrics, measureRequests } from './http/metrics.ts';
import { openApiOptions } from './http/open-api.ts';
import { type OperatorParts, operatorApi } from './http/operator-api.ts';
import { findMissingHost, ignoreExpectations, knowEveryMethod } from './http/protocol.ts';
import { newRequestId } from './http/request-id.ts';
import { webhookApi } from './http/webhook-api.ts';
import type { Log } from './log.ts';
import type { Services } from './use-cases/services.ts';

export type AppParts = OperatorParts & {
  readonly services: Services;
  readonly metrics: Metrics;
  readonly log: Log;
  /** True once the process is ending: connections are closed after their reply. */
  readonly isDraining?: () => boolean;
};

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { services, metrics, log } = parts;
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytesMax,
    routerOptions: { maxParamLength: limits.textCharsMax },
    requestTimeout: limits.requestArrivalMsMax,
    keepAliveTimeout: limits.keepAliveMs,
    // A request without Host is refused by ourselves, in the contract's shape.
    http: {
      requireHostHeader: false,
      headersTimeout: limits.requestArrivalMsMax,
      connectionsCheckingInterval: 1_000,
    },
    requestIdHeader: false,
    // Nothing is logged of most requests; what is names the request itself.
    childLoggerFactory: (logger) => logger,
    genReqId: newRequestId,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    ajv: {
      // What was sent is what is judged: nothing is coerced, filled in or taken away.
      customOptions: {
        coerceTypes: false,
        useDefaults: false,
        removeAdditional: false,
        allErrors: false,
        allowUnionTypes: true,
      },
    },
  });
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(async () => undefined);
  app.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply);
    // Before anything of the body is read: there is nobody to read it for.
    done(request.is404 ? new ServiceError('NOT_FOUND') : findMissingHost(request, reply));
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (parts.isDraining?.()) reply.header('connection', 'close');
    done();
  });
  knowEveryMethod(app);
  ignoreExpectations(app);
  measureRequests(app, metrics);

  await app.register(swagger, openApiOptions(services.settings.publicUrl));
  await app.register(merchantApi(services), { prefix: '/api/v3' });
  await app.register(webhookApi(services), { prefix: '/api/v3/webhooks' });
  await app.register(launchPage(services));
  await app.register(operatorApi(parts));
  await app.ready();
  return app;
}
