/** The schema of form data with dotted names: `order.id` is the field `id` of `order`. */

import type { Schema } from './model.ts';
import { mapValues } from './named-schemas.ts';

export function formDataSchema(schema: Schema): Schema {
  const fields = flatten(schema, '');
  return {
    type: 'object',
    title: `${String(schema.title)}Form`,
    description: 'The same fields as in JSON, with the names of nested fields joined by dots.',
    properties: Object.fromEntries(
      fields.map(({ name, description }) => [name, text(description)]),
    ),
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: { type: 'string', description: 'Every other field is ignored.' },
  };
}

type Field = { readonly name: string; readonly description: unknown; readonly isRequired: boolean };

function flatten(schema: Schema, prefix: string): Field[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema.required ?? []) as readonly string[];
  const nested = mapValues(properties, (entry, name) => {
    const isRequired = required.includes(name);
    if (entry.properties === undefined) {
      return [{ name: `${prefix}${name}`, description: entry.description, isRequired }];
    }
    const fields = flatten(entry, `${prefix}${name}.`);
    return isRequired ? fields : fields.map((field) => ({ ...field, isRequired: false }));
  });
  return Object.values(nested).flat();
}

function text(description: unknown): Schema {
  return { type: 'string', description };
}
