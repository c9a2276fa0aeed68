/** Schemas with descriptions for the API reference. Serialisers ignore lists of values, so these cost nothing. */
import { type TObject, type TProperties, type TSchema, Type } from 'typebox';

type ValueOf = { string: string; number: number; boolean: boolean; null: null };

export const field = <Name extends keyof ValueOf>(
  type: Name | readonly Name[],
  description: string,
  rules: object = {},
) => Type.Unsafe<ValueOf[Name]>({ type, ...rules, description });

export const text = (description: string) => Type.String({ description });
export const number = (description: string) => Type.Number({ description });
export const optionalText = (description: string) => Type.Optional(text(description));
export const textOrNull = (description: string) => field(['string', 'null'], description);

export const word = (words: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...words], description });

export const wordOrNull = (words: readonly string[], description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...words, null], description });

export const list = <Item extends TSchema>(item: Item, description: string) =>
  Type.Array(item, { description });

/** The title names the type in generated clients. */
export const object = <Fields extends TProperties>(
  title: string,
  description: string,
  fields: Fields,
) => Type.Object(fields, { title, description });

/** The schema for the reference where it is more precise than the validation: the domain refuses the rest. */
export function refined(schema: TObject, changes: TProperties): TObject {
  const { title, description } = schema as { title?: string; description?: string };
  return Type.Object({ ...schema.properties, ...changes }, { title, description });
}
