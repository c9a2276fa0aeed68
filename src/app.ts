/** The composition root: builds the HTTP application and hands each scope what it needs. */
import swagger from '@fastify/swagger';
import apiReference from '@scalar/fastify-api-reference';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import packageJson from '../package.json' with { type: 'json' };
import { ServiceError } from './domain/errors.ts';
import { limits } from './domain/limits.ts';
import { answerClientError } from './http/client-error.ts';
import { sendError } from './http/error-reply.ts';
import { merchantApi } from './http/merchant-api.ts';
import { type Metrics, measureRequests } from './http/metrics.ts';
import { type OperatorParts, operatorApi } from './http/operator-api.ts';
import { newRequestId } from './http/request-id.ts';
import type { Log } from './log.ts';
import type { Services } from './use-cases/services.ts';

export type AppParts = OperatorParts & {
  readonly services: Services;
  readonly metrics: Metrics;
  readonly log: Log;
};

export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const { services, metrics, log } = parts;
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytesMax,
    requestTimeout: limits.requestArrivalMsMax,
    keepAliveTimeout: limits.keepAliveMs,
    requestIdHeader: false,
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
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND');
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
  });
  measureRequests(app, metrics);

  await app.register(swagger, { openapi: openApiHead(services.settings.publicUrl) });
  await app.register(merchantApi(services), { prefix: '/api/v3' });
  await app.register(operatorApi(parts));
  await app.register(apiReference, { routePrefix: '/docs', configuration: docsPage });
  await app.ready();
  return app;
}

function openApiHead(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: packageJson.name,
      version: packageJson.version,
      description: packageJson.description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    components: {
      securitySchemes: {
        bearer: { type: 'http' as const, scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
    security: [{ bearer: [] }],
  };
}

/** The page is served from the package's own files and calls nobody but this service. */
const docsPage = {
  pageTitle: 'payment-order-service API',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never' as const,
};
