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
import { jsonObject, text, type WireObject } from './wire.ts';

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

/** What is shown instead of a personal value; a marker if nothing else is said. */
export type Replace = (value: string, leaf: 'word' | 'phone') => string;

const eraseWhole: Replace = () => erasedMarker;

/** As an order token would see it. Contract 2.3. */
export const maskPersonal: Replace = (value, leaf) => {
  if (value === erasedMarker) return value;
  if (leaf === 'phone') return maskPhone(value);
  return value.includes('@') ? maskAddress(value) : maskName(value);
};

/** What a provider does with the personal data in the bodies of its deliveries. Contract 8.7. */
export type Erasing = ReturnType<typeof createErasing>;

/** The shape must retain every field that `translate` reads. `write` gives the text of what remains of a body. */
export function createErasing(
  shape: Shape,
  read: (body: Buffer) => WireObject | undefined = jsonObject,
  write: (erased: WireObject, body: Buffer) => string = (erased) => JSON.stringify(erased),
) {
  return {
    listPersonalValues(body: Buffer): PersonalValues {
      const words = new Set<string>();
      const phones: Phone[] = [];
      const collect: Replace = (value, leaf) => {
        if (value === erasedMarker) return value;
        if (leaf === 'phone') phones.push(...(findPhones(value) ?? []));
        else if (isDistinctive(value)) words.add(value);
        return value;
      };
      eraseObject(read(body) ?? {}, shape, (content) => content, collect);
      return { words: [...words], phones };
    },
    /** Retains only the fields of the shape, with texts scrubbed. The translation stays the same. */
    eraseBody(body: Buffer, scrub: Scrub, replace: Replace = eraseWhole): Buffer {
      const erased = eraseObject(read(body) ?? {}, shape, scrub, replace);
      return Buffer.from(write(erased, body), 'utf8');
    },
  };
}

/** A short name alone occurs as an ordinary word in too many texts. */
const isDistinctive = (word: string): boolean => /[\s@.]/.test(word.trim()) || word.length > 7;

function eraseObject(body: WireObject, shape: Shape, scrub: Scrub, replace: Replace): WireObject {
  const erased: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(shape)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = eraseValue(body[name], part, scrub, replace);
    if (value !== undefined) erased[name] = value;
  }
  return erased;
}

function eraseValue(value: unknown, part: Shape | Leaf, scrub: Scrub, replace: Replace): unknown {
  if (Array.isArray(value)) {
    return value.map((entry) => eraseValue(entry, part, scrub, replace) ?? null);
  }
  if (typeof value === 'object' && value !== null) {
    // An object stays an object, because a translator may distinguish an unreadable one from an absent one.
    return eraseObject(value as WireObject, typeof part === 'string' ? {} : part, scrub, replace);
  }
  const leaf = typeof part === 'string' ? part : part[''];
  if (typeof leaf !== 'string') return undefined;
  const content = text(value);
  if (content === undefined || leaf === 'keep') return value;
  if (leaf !== 'text') return replace(content, leaf);
  const scrubbed = scrub(content);
  return scrubbed === content ? value : scrubbed;
}
