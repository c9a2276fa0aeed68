/** The scope of operators: liveness, readiness, metrics and the API reference. */
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { Type } from 'typebox';
import { object, text, word } from '../open-api/fields.ts';
import { watchRoutes } from '../refuse-other-methods.ts';
import { addDocsPage, addHomePage } from './docs-page.ts';

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
    addHomePage(app);
    addHealth(app);
    addReadiness(app, parts);
    addMetricsPage(app, parts);
    addDocsPage(app);
    refuseOtherMethods();
  };
}

const Health = object('Health', 'The process is alive.', {
  status: word(['ok'], 'Always ok.'),
});
const Ready = object('Ready', 'Requests can be served.', {
  status: word(['ready'], 'Always ready.'),
  late: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Steps of the background without a success for five minutes.',
    }),
  ),
});
const NotReady = object('NotReady', 'Requests cannot be served yet.', {
  status: word(['not ready'], 'Always not ready.'),
  missing: Type.Array(Type.String(), { description: 'What is missing.' }),
});

const documentation = (name: string, replyDescription: string) => ({
  replyDescription,
  errors: ['INVALID_REQUEST_PARAMETER'] as const,
  examples: new URL(`./examples/${name}.json`, import.meta.url),
});

function addHealth(app: FastifyInstance): void {
  app.get('/healthz', {
    config: { documentation: documentation('healthz', 'The process is alive.') },
    schema: {
      operationId: 'getHealth',
      summary: 'The process is alive',
      description: 'For the liveness probe. It does not look at the database.',
      tags: ['Operations'],
      response: { 200: Health },
    },
    handler: async () => ({ status: 'ok' }),
  });
}

function addReadiness(app: FastifyInstance, { checkReadiness }: OperatorParts): void {
  app.get('/readyz', {
    config: { documentation: documentation('readyz', 'Requests can be served.') },
    schema: {
      operationId: 'getReadiness',
      summary: 'Requests can be served',
      description: 'For the readiness probe: the database answers and is migrated.',
      tags: ['Operations'],
      response: { 200: Ready, 503: NotReady },
    },
    handler: async (_request, reply) => {
      const { missing, late } = await checkReadiness();
      if (missing.length > 0) {
        return reply
          .code(503)
          .header('retry-after', 1)
          .send({ status: 'not ready', missing: [...missing] });
      }
      return { status: 'ready', ...(late.length > 0 && { late: [...late] }) };
    },
  });
}

function addMetricsPage(app: FastifyInstance, { renderMetrics }: OperatorParts): void {
  app.get('/metrics', {
    config: { documentation: documentation('metrics', 'The metrics in the text format.') },
    schema: {
      operationId: 'getMetrics',
      summary: 'Metrics for Prometheus',
      description: 'The metrics of this process, or of all workers together.',
      tags: ['Operations'],
      response: {
        200: {
          content: {
            'text/plain': {
              schema: text('One line for each figure.'),
            },
          },
        },
      },
    },
    handler: async (_request, reply) => {
      const { contentType, text } = await renderMetrics();
      return reply.type(contentType).send(text);
    },
  });
}
