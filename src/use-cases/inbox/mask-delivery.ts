/** A delivery's bytes as they may be stored: card numbers are masked, security codes left out. Contract 8.5. */

import {
  type ExemptFields,
  maskField,
  maskFields,
  mayHoldCardData,
} from '../../domain/cards/card-fields.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { parseExactJson } from '../../domain/json/json.ts';

/**
 * Most bodies come back as they are. One that may hold card data is always written anew from what was read: two fields
 * of one name, of which the second is read, would otherwise hide a number in the first.
 */
export function maskDelivery(body: Buffer, exempt: ExemptFields): Buffer {
  const text = body.toString('utf8');
  if (!mayHoldCardData(text)) return body;
  const isJson = text.trimStart().startsWith('{');
  return Buffer.from(isJson ? maskJson(text, exempt) : maskForm(text, exempt), 'utf8');
}

function maskJson(text: string, exempt: ExemptFields): string {
  try {
    return JSON.stringify(maskFields(parseExactJson(text), exempt));
  } catch {
    // Not JSON, or nested too deep: it is refused later on.
    return maskCardNumbers(text);
  }
}

/** Form data with dotted names: `risk.response.rule[0].name` is the path of a field. */
function maskForm(text: string, exempt: ExemptFields): string {
  if (!text.includes('=')) return maskCardNumbers(text);
  const pairs: string[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.replaceAll(/\[\d+\]/g, '').split('.');
    const masked = maskField(path, value, exempt);
    if (masked === undefined) continue;
    pairs.push(`${encodeName(maskCardNumbers(name))}=${encodeURIComponent(masked)}`);
  }
  return pairs.join('&');
}

/** Form data is known by its first name, in which only few characters stand for themselves. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
