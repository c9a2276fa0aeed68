/** The scope of operators: liveness, readiness, metrics and the API reference. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { watchRoutes } from '../refuse-other-methods.ts';
import { addDocsPage } from './docs-page.ts';

export type Readiness = {
  /** What still prevents serving requests; empty when ready. */
  readonly missing: readonly string[];
  /** Background work that does not prevent serving requests, but has not succeeded for too long. */
  readonly late: readonly string[];
};

export type OperatorParts = {
  readonly checkReadiness: () => Promise<Readiness>;
  /** The metrics of this process, or of all workers together. */
  readonly renderMetrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
};

/** Contract 1.8. */
export function operatorApi(parts: OperatorParts): FastifyPluginAsync {
  return async (app) => {
    const refuseOtherMethods = watchRoutes(app);
    addHealth(app);
    addReadiness(app, parts);
    addMetricsPage(app, parts);
    addOpenApi(app);
    addDocsPage(app);
    refuseOtherMethods();
  };
}

function addHealth(app: FastifyInstance): void {
  app.get('/healthz', {
    schema: { summary: 'The process is alive', tags: ['Operations'], security: [] },
    handler: async () => ({ status: 'ok' }),
  });
}

function addReadiness(app: FastifyInstance, { checkReadiness }: OperatorParts): void {
  app.get('/readyz', {
    schema: { summary: 'Requests can be served', tags: ['Operations'], security: [] },
    handler: async (_request, reply) => {
      const { missing, late } = await checkReadiness();
      if (missing.length > 0) {
        return reply.code(503).header('retry-after', 1).send({ status: 'not ready', missing });
      }
      return { status: 'ready', ...(late.length > 0 && { late }) };
    },
  });
}

function addMetricsPage(app: FastifyInstance, { renderMetrics }: OperatorParts): void {
  app.get('/metrics', {
    schema: { summary: 'Metrics for Prometheus', tags: ['Operations'], security: [] },
    handler: async (_request, reply) => {
      const { contentType, text } = await renderMetrics();
      return reply.type(contentType).send(text);
    },
  });
}

function addOpenApi(app: FastifyInstance): void {
  app.get('/openapi.json', {
    schema: { hide: true },
    handler: async () => app.swagger(),
  });
}
