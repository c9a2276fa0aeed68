/**
 * Compiles each schema of requests once per process. Test files start many applications with the same routes, and
 * Fastify would compile their schemas for each of them, which takes longer than most tests. The serialisers of replies
 * need no help: see src/http/compile-serialisers.ts.
 */
import { createRequire } from 'node:module';

/** A factory of a builder, which is given settings and returns the compiler. */
type Factory = () => (...settings: unknown[]) => Compile;
type Compile = (route: { readonly schema: unknown }) => unknown;

const requireAsFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));

/** Call it before an application is created, because Fastify loads its compiler then. */
export function compileSchemasOnce(): void {
  const name = '@fastify/ajv-compiler';
  const factory = requireAsFastify(name) as Factory;
  const loaded = requireAsFastify.cache[requireAsFastify.resolve(name)];
  if (!loaded) throw new Error(`${name} is not where Fastify finds it`);
  loaded.exports = rememberingCompiled(factory);
}

function rememberingCompiled(factory: Factory): Factory {
  const build = factory();
  const compiled = new Map<string, unknown>();
  return () =>
    (...settings) => {
      const compile = build(...settings);
      return (route) => {
        const key = JSON.stringify([settings, route.schema]);
        const result = compiled.get(key) ?? compile(route);
        compiled.set(key, result);
        return result;
      };
    };
}
