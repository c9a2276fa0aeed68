/** Moves schemas with a title to the components of the document, so that generated clients get named types. */
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './model.ts';

type Schemas = Record<string, Schema>;

export function nameSchemas<Parts extends object>(
  parts: Parts,
): Parts & { readonly schemas: Schemas } {
  const schemas: Schemas = {};
  const named = nameWithin(parts, schemas) as Parts;
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...named, schemas: Object.fromEntries(sorted) };
}

/** Leaves examples as they are: their data may have a `schema` or a `title` of its own. */
function nameWithin(node: unknown, schemas: Schemas): unknown {
  if (Array.isArray(node)) return node.map((entry) => nameWithin(entry, schemas));
  if (typeof node !== 'object' || node === null) return node;
  return mapValues(node as Schema, (entry, key) => {
    if (key === 'example' || key === 'examples') return entry;
    return key === 'schema' ? move(entry, schemas) : nameWithin(entry, schemas);
  });
}

function move(node: unknown, schemas: Schemas): unknown {
  if (Array.isArray(node)) return node.map((entry) => move(entry, schemas));
  if (typeof node !== 'object' || node === null) return node;
  const moved = mapValues(node as Schema, (entry) => move(entry, schemas));
  const { title, description } = moved;
  // A field may itself be called title.
  if (typeof title !== 'string') return moved;
  const known = schemas[title];
  schemas[title] ??= moved;
  const $ref = `#/components/schemas/${title}`;
  if (!known || isDeepStrictEqual(known, moved)) return { $ref };
  if (isDeepStrictEqual({ ...known, description }, moved)) return { $ref, description };
  throw new Error(`two schemas have the title ${title}`);
}

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, map(value, name)]),
  );
}
