/**
 * Removes personal data from the body of a delivery. A provider lists the fields that may stay, and all others are
 * removed, unknown ones included: a list of personal fields would never be complete.
 */
import { findPhones } from '../domain/consumers/erased-consumer.ts';
import { maskAddress, maskName, maskPhone } from '../domain/consumers/mask.ts';
import {
  erasedMarker,
  type PersonalValues,
  type Phone,
  type Scrub,
} from '../domain/consumers/scrub.ts';
import { text, type WireObject } from './wire.ts';

type Leaf =
  /** Not personal: ids, amounts, states, times. */
  | 'keep'
  /** Text of a provider or a bank, which may repeat personal data: it is scrubbed. */
  | 'text'
  /** Personal: an e-mail address, a UPI id, a name. */
  | 'word'
  | 'phone';

/** The fields of an object. The empty name stands for a plain value in place of the object. */
export type Shape = { readonly [field: string]: Shape | Leaf };

/** `names` are separated by spaces. */
export function leaves(leaf: Leaf, names: string): Shape {
  return Object.fromEntries(names.split(' ').map((name) => [name, leaf]));
}

/** What replaces a personal value. */
export type Replace = (value: string, leaf: 'word' | 'phone') => string;

const eraseWhole: Replace = () => erasedMarker;

/** As an order token would see it. Contract 2.3. */
export const maskPersonal: Replace = (value, leaf) => {
  if (value === erasedMarker) return value;
  if (leaf === 'phone') return maskPhone(value);
  return value.includes('@') ? maskAddress(value) : maskName(value);
};

export function eraseObject(
  body: WireObject,
  shape: Shape,
  scrub: Scrub,
  replace: Replace = eraseWhole,
): WireObject {
  const erased: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(shape)) {
    const value = Object.hasOwn(body, name)
      ? eraseValue(body[name], part, scrub, replace)
      : undefined;
    if (value !== undefined) erased[name] = value;
  }
  return erased;
}

/** Undefined if the value is removed. */
function eraseValue(value: unknown, part: Shape | Leaf, scrub: Scrub, replace: Replace): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => eraseValue(entry, part, scrub, replace) ?? null);
  }
  if (typeof value === 'object' && value !== null) {
    // An object stays an object, because a translator may distinguish an unreadable one from an absent one.
    return eraseObject(value as WireObject, typeof part === 'string' ? {} : part, scrub, replace);
  }
  const leaf = typeof part === 'string' ? part : part[''];
  return typeof leaf === 'string' ? eraseLeaf(value, leaf, scrub, replace) : undefined;
}

function eraseLeaf(value: unknown, leaf: Leaf, scrub: Scrub, replace: Replace): unknown {
  const content = text(value);
  if (content === undefined || leaf === 'keep') return value;
  if (leaf !== 'text') return replace(content, leaf);
  const scrubbed = scrub(content);
  return scrubbed === content ? value : scrubbed;
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
      const content = text(value);
      if (content === undefined || content === erasedMarker) return;
      if (part === 'word' && isDistinctive(content)) words.add(content);
      if (part === 'phone') phones.push(...(findPhones(content) ?? []));
    }
  };
  visit(body, shape);
  return { words: [...words], phones };
}

/** A short name alone occurs as an ordinary word in too many texts. */
function isDistinctive(word: string): boolean {
  return /[\s@.]/.test(word.trim()) || word.length > 7;
}
