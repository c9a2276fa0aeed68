/** The scope of operators: liveness, readiness, metrics and the API reference. Contract 1.8. */
import type { FastifyInstance, FastifySchema, RouteHandlerMethod } from 'fastify';
import { Type } from 'typebox';
import { list, object, text, word } from '../open-api/fields.ts';
import { refusingOtherMethods } from '../refuse-other-methods.ts';
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

const Health = object('Health', 'The process is alive.', { status: word(['ok'], 'Always ok.') });
const Ready = object('Ready', 'Requests can be served.', {
  status: word(['ready'], 'Always ready.'),
  late: Type.Optional(
    list(Type.String(), 'Steps of the background without a success for five minutes.'),
  ),
});
const NotReady = object('NotReady', 'Requests cannot be served yet.', {
  status: word(['not ready'], 'Always not ready.'),
  missing: list(Type.String(), 'What is missing.'),
});

export function operatorApi({ checkReadiness, renderMetrics }: OperatorParts) {
  return refusingOtherMethods((app) => {
    addHomePage(app);
    addOperation(app, 'healthz', {
      operationId: 'getHealth',
      summary: 'The process is alive',
      description: 'For the liveness probe. It does not look at the database.',
      response: { 200: Health },
      replyDescription: 'The process is alive.',
      handler: async () => ({ status: 'ok' }),
    });
    addOperation(app, 'readyz', {
      operationId: 'getReadiness',
      summary: 'Requests can be served',
      description: 'For the readiness probe: the database answers and is migrated.',
      response: { 200: Ready, 503: NotReady },
      replyDescription: 'Requests can be served.',
      handler: async (_request, reply) => {
        const { missing, late } = await checkReadiness();
        if (missing.length === 0) return { status: 'ready', ...(late.length > 0 && { late }) };
        return reply.code(503).header('retry-after', 1).send({ status: 'not ready', missing });
      },
    });
    addOperation(app, 'metrics', {
      operationId: 'getMetrics',
      summary: 'Metrics for Prometheus',
      description: 'The metrics of this process, or of all workers together.',
      response: {
        200: { content: { 'text/plain': { schema: text('One line for each figure.') } } },
      },
      replyDescription: 'The metrics in the text format.',
      handler: async (_request, reply) => {
        const { contentType, text } = await renderMetrics();
        return reply.type(contentType).send(text);
      },
    });
    addDocsPage(app);
  });
}

type Operation = FastifySchema & {
  readonly replyDescription: string;
  readonly handler: RouteHandlerMethod;
};

function addOperation(
  app: FastifyInstance,
  name: string,
  { replyDescription, handler, ...schema }: Operation,
): void {
  const examples = new URL(`./examples/${name}.json`, import.meta.url);
  const errors = ['INVALID_REQUEST_PARAMETER'] as const;
  app.get(`/${name}`, {
    config: { documentation: { replyDescription, errors, examples } },
    schema: { ...schema, tags: ['Operations'] },
    handler,
  });
}
