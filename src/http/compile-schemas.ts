/** Compiles each schema once, when it is first used. Fastify would compile all at the start, and again per route. */
import selectValidator from '@fastify/ajv-compiler';
import selectSerialiser from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify';

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type Factories = Required<NonNullable<SchemaController['compilersFactory']>>;
/** Fastify declares it as the one of its default compiler, which promises more than Fastify uses. */
type BuildValidator = (
  externalSchemas: unknown,
  options: unknown,
) => FastifySchemaCompiler<unknown>;
type Validate = ReturnType<FastifySchemaCompiler<unknown>>;
type Serialise = ReturnType<ReturnType<Factories['buildSerializer']>>;

/** For the whole process: schemas are constants, and no scope adds schemas for others to refer to. */
const validators = new WeakMap<object, Validate>();
const serialisers = new WeakMap<object, Serialise>();
const createValidators = selectValidator() as unknown as BuildValidator;
const createSerialisers = selectSerialiser();

const buildValidator: BuildValidator = (externalSchemas, options) => {
  const compile = createValidators(externalSchemas, options);
  return (route) => {
    let check: Validate | undefined;
    const validate: Validate = (data) => {
      check ??= once(validators, route, compile);
      const result = check(data);
      if (check.errors !== undefined) validate.errors = check.errors;
      return result;
    };
    return validate;
  };
};

const buildSerializer: Factories['buildSerializer'] = (externalSchemas, options) => {
  const compile = createSerialisers(externalSchemas, options);
  return (route) => {
    let serialise: Serialise | undefined;
    return (data) => {
      serialise ??= once(serialisers, route, compile);
      return serialise(data);
    };
  };
};

export const compilersFactory = { buildValidator, buildSerializer } as unknown as Factories;

function once<Route extends { readonly schema?: unknown }, Compiled>(
  known: WeakMap<object, Compiled>,
  route: Route,
  compile: (route: Route) => Compiled,
): Compiled {
  const schema = route.schema as object;
  const found = known.get(schema);
  if (found !== undefined) return found;
  const compiled = compile(route);
  known.set(schema, compiled);
  return compiled;
}
