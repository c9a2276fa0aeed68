/**
 * The methods that a path does not take: a known path called with another method answers 405 with `Allow`, not
 * 404, and one that pages may call answers their preflight.
 */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { answerPreflight, isOpenToPages } from './cross-origin.ts';

type KnownPath = { readonly methods: Set<string>; isOpenToPages: boolean };

/** Call it first in a scope; call what it returns when all routes of the scope are there. */
export function watchRoutes(app: FastifyInstance): () => void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ routePath, method, config }) => {
    const path = paths.get(routePath) ?? { methods: new Set(), isOpenToPages: false };
    for (const name of [method].flat()) path.methods.add(name);
    path.isOpenToPages ||= isOpenToPages(config);
    paths.set(routePath, path);
  });
  return () => {
    for (const [url, path] of [...paths]) {
      const taken = [...path.methods].sort();
      if (path.isOpenToPages) addPreflight(app, url, taken);
      const answered = path.isOpenToPages ? [...taken, 'OPTIONS'] : taken;
      refuseMethods(app, url, taken, (method) => !answered.includes(method));
    }
  };
}

function addPreflight(app: FastifyInstance, url: string, methods: readonly string[]): void {
  app.route({
    method: 'OPTIONS',
    url,
    config: { access: 'public' },
    schema: { hide: true },
    // Before anything of the body is read: a preflight has none.
    onRequest: async (_request, reply) => answerPreflight(reply, methods.join(', ')).send(),
    handler: async () => undefined,
  });
}

function refuseMethods(
  app: FastifyInstance,
  url: string,
  taken: readonly string[],
  isRefused: (method: string) => boolean,
): void {
  const allow = taken.join(', ');
  app.route({
    method: app.supportedMethods.filter(isRefused) as HTTPMethods[],
    url,
    config: { access: 'public' },
    schema: { hide: true },
    // Before anything of the body is read: the path does not take it, whatever it is.
    onRequest: async (_request, reply) => {
      reply.header('allow', allow);
      throw new ServiceError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`);
    },
    handler: async () => undefined,
  });
}
