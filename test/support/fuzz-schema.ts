/** Generates bodies and requests from the OpenAPI document of the service. */
import fc from 'fast-check';
import { namesOf } from '../api/routes.ts';
import { edgeValues, mutated, raw, type Tree, treeOf } from './fuzz-json.ts';

export type Schema = {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
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
  /** The documented error codes, by status. */
  readonly codes: Readonly<Record<string, readonly string[]>>;
};

type OpenApi = {
  readonly paths: Record<string, Record<string, OperationEntry>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
type OperationEntry = {
  readonly parameters?: readonly ({ readonly name: string; readonly in: string } | Schema)[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: DocumentedReplies;
  readonly 'x-aliases'?: readonly string[];
};
type DocumentedReplies = Readonly<
  Record<string, { readonly content: Record<string, { readonly examples: object }> }>
>;

/** Operations and their aliases, with whole schemas instead of references. */
export function operationsOf({ paths, components }: OpenApi): Operation[] {
  return Object.entries(paths).flatMap(([path, entries]) =>
    Object.entries(entries).flatMap(([method, entry]) => {
      const schema = Object.values(entry.requestBody?.content ?? {})[0]?.schema;
      // The second alternative is the encrypted body.
      const plain = schema?.oneOf?.[0] ?? schema;
      const operation = {
        parameters: (entry.parameters ?? []).filter((parameter) => 'name' in parameter),
        body: plain && inline(plain, components.schemas),
        codes: codesOf(entry.responses),
      };
      return namesOf(method, path, entry).map((name) => ({ ...name, ...operation }));
    }),
  );
}

/** The error codes by status, as the examples of the replies name them. */
function codesOf(responses: DocumentedReplies): Operation['codes'] {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return Object.fromEntries(
    errors.map(([status, { content }]) => [
      status,
      Object.values(content).flatMap(({ examples }) => Object.keys(examples)),
    ]),
  );
}

function inline<Node>(node: Node, schemas: Readonly<Record<string, Schema>>): Node {
  if (Array.isArray(node)) return node.map((entry) => inline(entry, schemas)) as Node;
  if (typeof node !== 'object' || node === null) return node;
  const { $ref } = node as Schema;
  if ($ref !== undefined) return inline(schemas[$ref.split('/').at(-1) ?? ''] as Node, schemas);
  const entries = Object.entries(node).map(([name, entry]) => [name, inline(entry, schemas)]);
  return Object.fromEntries(entries);
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
