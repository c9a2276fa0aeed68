/**
 * Compiles the serialiser of each reply schema once. Fastify compiles one for every status of every route, although
 * most of them share the schemas of errors: 71 serialisers for 19 schemas, at each start.
 */
import selectSerialiser from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type BuildSerializer = NonNullable<
  NonNullable<SchemaController['compilersFactory']>['buildSerializer']
>;
type Serialise = ReturnType<ReturnType<BuildSerializer>>;

/** For the whole process: schemas are constants, and no scope adds schemas for others to refer to. */
const compiled = new WeakMap<object, Serialise>();
const build = selectSerialiser();

export const buildSerializer: BuildSerializer = (externalSchemas, options) => {
  const compile = build(externalSchemas, options);
  return (route) => {
    const schema = route.schema as object;
    const known = compiled.get(schema);
    if (known) return known;
    const serialise = compile(route);
    compiled.set(schema, serialise);
    return serialise;
  };
};
