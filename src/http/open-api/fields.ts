/**
 * Helpers for schemas that are shown in the API reference. Serialisers ignore lists of values, so these cost nothing
 * in replies.
 */
import { type TObject, type TProperties, Type } from 'typebox';

export function oneOfWords(words: readonly string[]) {
  return { type: 'string', enum: [...words] } as const;
}

export function oneOfWordsOrNull(words: readonly string[]) {
  return { type: ['string', 'null'], enum: [...words, null] };
}

/** The schema for the reference where it is more precise than the validation: the domain refuses the rest. */
export function refined(schema: TObject, changes: TProperties): TObject {
  const { title, description } = schema as { title?: string; description?: string };
  return Type.Object({ ...schema.properties, ...changes }, { title, description });
}
