/**
 * A delivery's body without personal data. A provider lists the fields that may stay; all others go, also those that
 * nobody has heard of, for a list of what is personal would never be complete.
 */
import { findPhones } from '../domain/personal-data/erased-consumer.ts';
import {
  erasedMarker,
  type PersonalValues,
  type Phone,
  type Scrub,
} from '../domain/personal-data/scrub.ts';
import { text, type WireObject } from './wire.ts';

export type Leaf =
  /** Not personal: ids, amounts, states, times. */
  | 'keep'
  /** Words of a provider or a bank, which may repeat something personal. */
  | 'text'
  /** Personal: an e-mail address, a UPI id, a name. */
  | 'word'
  | 'phone';

/** The fields of an object; the field without a name is for a plain value in its place. */
export type Shape = { readonly [field: string]: Shape | Leaf };

export function leaves<Name extends string>(leaf: Leaf, names: readonly Name[]): Shape {
  return Object.fromEntries(names.map((name) => [name, leaf]));
}

export function eraseObject(body: WireObject, shape: Shape, scrub: Scrub): WireObject {
  const erased: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(shape)) {
    const value = Object.hasOwn(body, name) ? eraseValue(body[name], part, scrub) : undefined;
    if (value !== undefined) erased[name] = value;
  }
  return erased;
}

/** Undefined for what does not stay. */
function eraseValue(value: unknown, part: Shape | Leaf, scrub: Scrub): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => eraseValue(entry, part, scrub) ?? null);
  }
  if (typeof value === 'object' && value !== null) {
    // A translator may tell an object that it cannot read from nothing at all.
    return eraseObject(value as WireObject, typeof part === 'string' ? {} : part, scrub);
  }
  const leaf = typeof part === 'string' ? part : part[''];
  return typeof leaf === 'string' ? eraseLeaf(value, leaf, scrub) : undefined;
}

function eraseLeaf(value: unknown, leaf: Leaf, scrub: Scrub): unknown {
  const said = text(value);
  // What says nothing says nothing personal.
  if (said === undefined || leaf === 'keep') return value;
  if (leaf !== 'text') return erasedMarker;
  const scrubbed = scrub(said);
  return scrubbed === said ? value : scrubbed;
}

export function listPersonalValues(body: WireObject, shape: Shape): PersonalValues {
  const words = new Set<string>();
  const phones: Phone[] = [];
  const visit = (value: unknown, part: Shape | Leaf): void => {
    if (Array.isArray(value)) {
      for (const entry of value) visit(entry, part);
    } else if (typeof value === 'object' && value !== null) {
      if (typeof part === 'string') return;
      for (const [name, inner] of Object.entries(part)) {
        if (Object.hasOwn(value, name)) visit((value as WireObject)[name], inner);
      }
    } else {
      const said = text(value);
      if (said === undefined || said === erasedMarker) return;
      if (part === 'word' && isTelling(said)) words.add(said);
      if (part === 'phone') phones.push(...(findPhones(said) ?? []));
    }
  };
  visit(body, shape);
  return { words: [...words], phones };
}

/** A short name alone is a word of its own in too many texts. */
function isTelling(word: string): boolean {
  return /[\s@.]/.test(word.trim()) || word.length > 7;
}
