/**
 * Compiles each schema of the routes once per process. Test files start many applications with the same routes, and
 * Fastify would compile their schemas for each of them, which takes longer than most tests.
 */
import { createRequire } from 'node:module';

/** The shape of both packages: a factory of a builder, which is given settings and returns the compiler. */
type Factory = () => (...settings: unknown[]) => Compile;
type Compile = (route: { readonly schema: unknown }) => unknown;

const requireAsFastify = createRequire(createRequire(import.meta.url).resolve('fastify'));

/** Call it before an application is created, because Fastify loads its compilers then. */
export function compileSchemasOnce(): void {
  for (const name of ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler']) {
    const factory = requireAsFastify(name) as Factory;
    const loaded = requireAsFastify.cache[requireAsFastify.resolve(name)];
    if (!loaded) throw new Error(`${name} is not where Fastify finds it`);
    loaded.exports = rememberingCompiled(factory);
  }
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
