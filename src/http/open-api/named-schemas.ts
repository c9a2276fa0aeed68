/** Moves schemas with a title to the components of the document, so that generated clients get named types. */
import { isDeepStrictEqual } from 'node:util';
import type { Content, Operation, Parameter, Paths, Response, Schema } from './model.ts';

type NamedSchemas = {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly paths: Paths;
};

export function nameSchemas(paths: Paths): NamedSchemas {
  const schemas: Record<string, Schema> = {};
  const named = mapValues(paths, (operations) =>
    mapValues(operations, (operation) => nameInOperation(operation, schemas)),
  );
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return { schemas: Object.fromEntries(sorted), paths: named };
}

function nameInOperation(operation: Operation, schemas: Record<string, Schema>): Operation {
  const { parameters = [], requestBody, responses } = operation;
  const inContent = (content: Content) =>
    mapValues(content, (media) => ({ ...media, schema: move(media.schema, schemas) as Schema }));
  return {
    ...operation,
    parameters: parameters.map((parameter) =>
      '$ref' in parameter
        ? parameter
        : ({ ...parameter, schema: move(parameter.schema, schemas) } as Parameter),
    ),
    ...(requestBody && {
      requestBody: { ...requestBody, content: inContent(requestBody.content) },
    }),
    responses: mapValues(responses, (response: Response) =>
      response.content ? { ...response, content: inContent(response.content) } : response,
    ),
  };
}

function move(node: unknown, schemas: Record<string, Schema>): unknown {
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
