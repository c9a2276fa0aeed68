/** Generates bodies and requests from the OpenAPI document of the service. */
import fc from 'fast-check';
import { edgeValues, mutated, raw, type Tree, treeOf } from './fuzz-json.ts';

export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
};

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly body: Schema | undefined;
};

type OpenApi = {
  readonly paths: Record<string, Record<string, OperationEntry>>;
};
type OperationEntry = {
  readonly parameters?: Operation['parameters'];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
};

export function operationsOf(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, entries]) =>
    Object.entries(entries).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: Object.values(requestBody?.content ?? {})[0]?.schema,
    })),
  );
}

/** Existing ids and other meaningful values, by field name. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** A valid body of the schema with known ids, and with up to three mutations. */
export function bodiesOf(schema: Schema, known: KnownValues): fc.Arbitrary<Tree> {
  return mutated(valuesOf(schema, '', known));
}

function valuesOf(schema: Schema, name: string, known: KnownValues): fc.Arbitrary<Tree> {
  const typical = typicalOf(schema, name, known);
  return fc.oneof({ weight: 24, arbitrary: typical }, { weight: 1, arbitrary: edgeValues });
}

function typicalOf(schema: Schema, name: string, known: KnownValues): fc.Arbitrary<Tree> {
  const own = known[name];
  if (own) return fc.constantFrom(...own).map(treeOf);
  if (schema.enum) return fc.constantFrom(...schema.enum).map(treeOf);
  if (schema.anyOf) {
    return fc.oneof(...schema.anyOf.map((entry) => valuesOf(entry, name, known)));
  }
  const types = [schema.type ?? 'object'].flat();
  return fc.oneof(...types.map((type) => valuesOfType(type, schema, known)));
}

function valuesOfType(type: string, schema: Schema, known: KnownValues): fc.Arbitrary<Tree> {
  switch (type) {
    case 'string':
      return texts;
    case 'number':
      return fc.oneof(
        fc.integer({ min: 0, max: 100_000 }).map((cents) => raw((cents / 100).toFixed(2))),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      );
    case 'integer':
      return fc.oneof(fc.nat(), fc.maxSafeInteger());
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, '', known), { maxLength: 3 });
    case 'object':
      return fieldsOf(schema, known);
    default:
      return fc.constant(null);
  }
}

/** Created once, because setting up an alphabet in fast-check is slow. */
const names = fc.string({ maxLength: 8 });
const texts: fc.Arbitrary<Tree> = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.integer({ min: 0, max: 99_999 }).map(String),
);

function fieldsOf(schema: Schema, known: KnownValues): fc.Arbitrary<Tree> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = Object.entries(properties).map(([name, entry]) => {
    const pair = valuesOf(entry, name, known).map((value): [string, Tree] => [name, value]);
    return required.includes(name) ? pair : fc.option(pair, { nil: undefined, freq: 3 });
  });
  const more =
    typeof additionalProperties === 'object'
      ? fc.array(fc.tuple(names, valuesOf(additionalProperties, '', known)), {
          maxLength: 3,
        })
      : fc.constant([] as [string, Tree][]);
  return fc.tuple(fc.tuple(...fields), more).map(([own, others]) => ({
    pairs: [...own.filter((pair) => pair !== undefined), ...others],
  }));
}
