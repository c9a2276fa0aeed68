/**
 * Fields of the schemas in the API reference, each with its description. Serialisers ignore lists of values, so these
 * cost nothing in replies.
 */
import { type TObject, type TProperties, Type } from 'typebox';

export const text = (description: string) => Type.String({ description });
export const number = (description: string) => Type.Number({ description });
export const optionalText = (description: string) => Type.Optional(text(description));

export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

/** One of a list of values. */
export const word = (words: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...words], description });

export const wordOrNull = (words: readonly string[], description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...words, null], description });

/** The schema for the reference where it is more precise than the validation: the domain refuses the rest. */
export function refined(schema: TObject, changes: TProperties): TObject {
  const { title, description } = schema as { title?: string; description?: string };
  return Type.Object({ ...schema.properties, ...changes }, { title, description });
}
