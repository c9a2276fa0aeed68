/**
 * Answers the methods that a known path does not support: 405 with `Allow` instead of 404, and the preflight
 * requests of browsers where the path allows cross-origin calls.
 */
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { allowsCrossOrigin, answerPreflight } from './cross-origin.ts';

type KnownPath = { readonly methods: Set<string>; allowsCrossOrigin: boolean };

/** Call it before the routes of a scope are added, and call the returned function after the last one. */
export function watchRoutes(app: FastifyInstance): () => void {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ routePath, method, config }) => {
    const path = paths.get(routePath) ?? { methods: new Set(), allowsCrossOrigin: false };
    for (const name of [method].flat()) path.methods.add(name);
    path.allowsCrossOrigin ||= allowsCrossOrigin(config);
    paths.set(routePath, path);
  });
  return () => {
    for (const [url, path] of [...paths]) {
      const supported = [...path.methods].sort();
      if (path.allowsCrossOrigin) addPreflight(app, url, supported);
      const routed = path.allowsCrossOrigin ? [...supported, 'OPTIONS'] : supported;
      refuseMethods(app, url, supported, (method) => !routed.includes(method));
    }
  };
}

function addPreflight(app: FastifyInstance, url: string, methods: readonly string[]): void {
  app.route({
    method: 'OPTIONS',
    url,
    config: { access: 'public', bound: 'file' },
    // Replies before a body is read: a preflight has none.
    onRequest: async (_request, reply) => answerPreflight(reply, methods.join(', ')).send(),
    handler: async () => undefined,
  });
}

function refuseMethods(
  app: FastifyInstance,
  url: string,
  supported: readonly string[],
  isRefused: (method: string) => boolean,
): void {
  const allow = supported.join(', ');
  app.route({
    method: app.supportedMethods.filter(isRefused) as HTTPMethods[],
    url,
    config: { access: 'public', bound: 'file' },
    // Refuses before the body is read.
    onRequest: async (_request, reply) => {
      reply.header('allow', allow);
      throw new ServiceError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`);
    },
    handler: async () => undefined,
  });
}
