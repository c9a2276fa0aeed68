/** Answers the other methods of a known path: 405 with `Allow`, and preflights where cross-origin calls are allowed. */
import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { allowsCrossOrigin, answerPreflight } from './cross-origin.ts';

type KnownPath = { readonly methods: Set<string>; allowsCrossOrigin: boolean };

/** A scope whose paths refuse all methods but those of the routes that are added. */
export function refusingOtherMethods(addRoutes: (app: FastifyInstance) => void) {
  return async (app: FastifyInstance) => {
    const paths = new Map<string, KnownPath>();
    app.addHook('onRoute', ({ routePath, method, config }) => {
      const path = paths.get(routePath) ?? { methods: new Set(), allowsCrossOrigin: false };
      for (const name of [method].flat()) path.methods.add(name);
      path.allowsCrossOrigin ||= allowsCrossOrigin(config);
      paths.set(routePath, path);
    });
    addRoutes(app);
    for (const [url, path] of [...paths]) {
      const supported = [...path.methods].sort();
      const allow = supported.join(', ');
      // Both answer before a body is read.
      if (path.allowsCrossOrigin) {
        addAnswer(app, url, ['OPTIONS'], async (reply) => answerPreflight(reply, allow).send());
      }
      const routed = path.allowsCrossOrigin ? [...supported, 'OPTIONS'] : supported;
      const others = app.supportedMethods.filter((method) => !routed.includes(method));
      addAnswer(app, url, others, async (reply) => {
        reply.header('allow', allow);
        throw new ServiceError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`);
      });
    }
  };
}

function addAnswer(
  app: FastifyInstance,
  url: string,
  methods: readonly string[],
  answer: (reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({
    method: methods as HTTPMethods[],
    url,
    config: { access: 'public', bound: 'file' },
    onRequest: async (_request, reply) => answer(reply),
    handler: async () => undefined,
  });
}
