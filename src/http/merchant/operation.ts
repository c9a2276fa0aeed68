/** Adds an operation of the merchant API: what is validated and serialised, and what the API reference says about it. */
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HTTPMethods,
  RouteHandlerMethod,
} from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import { errorReplies } from '../error-reply.ts';
import type { Access } from '../guard.ts';
import type { Documentation } from '../open-api/documentation.ts';

type Operation<Query extends TSchema, Body extends TSchema, Reply extends TSchema> = Pick<
  Documentation,
  'replyDescription' | 'errors' | 'replays' | 'aliases'
> & {
  readonly operationId: string;
  /** Another name of an operation: the reference describes it with the operation. */
  readonly isAlias?: boolean;
  /** The file of `examples` with its recorded calls, if it has another name than the path. */
  readonly examples?: string;
  readonly tag: 'Tokens' | 'Orders' | 'Payments';
  readonly access: Access;
  readonly summary: string;
  readonly description: string;
  readonly query?: Query;
  readonly params?: TObject;
  /** Only documented: the handler reads them. */
  readonly headers?: TObject;
  readonly body?: Body;
  /** What the reference shows instead of the validated body. */
  readonly documentedBody?: TObject;
  readonly bodyLimit?: number;
  /** Changes the body, opened if it was sealed, before it is validated. */
  readonly prepareBody?: (body: unknown) => void;
  readonly reply: Reply;
  readonly handler: (
    request: FastifyRequest<{ Querystring: Static<Query>; Body: Static<Body> }>,
    reply: FastifyReply,
  ) => Promise<Static<Reply>>;
};

/** `route` is such as `POST /refund`. */
export function addOperation<Query extends TSchema, Body extends TSchema, Reply extends TSchema>(
  app: FastifyInstance,
  route: string,
  operation: Operation<Query, Body, Reply>,
): void {
  const [method, url = ''] = route.split(' ');
  const { access, tag, query, params, body, headers, documentedBody, ...others } = operation;
  const { reply, handler, prepareBody, ...about } = others;
  const { operationId, summary, description, bodyLimit, isAlias, examples, ...documented } = about;
  const documentation: Documentation = {
    ...documented,
    examples: new URL(`./examples/${examples ?? url.slice(1)}.json`, import.meta.url),
    loadBody: documentedBody && (async () => documentedBody),
  };
  app.route({
    method: method as HTTPMethods,
    url,
    bodyLimit,
    config: { access, ...(!isAlias && { documentation }) },
    schema: {
      operationId,
      summary,
      description,
      tags: [tag],
      ...(query && { querystring: query }),
      ...(params && { params }),
      ...(headers && { headers }),
      ...(body && { body }),
      response: { 200: reply, ...errorReplies },
    },
    ...(prepareBody && {
      preValidation: (request, _reply, done) => {
        prepareBody(request.body);
        done();
      },
    }),
    handler: handler as RouteHandlerMethod,
  });
}
