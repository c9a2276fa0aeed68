/** A delivery's bytes as they may be kept: card numbers and security codes are masked. Decision 8.4. */
import { maskCardNumbers, maskCardNumbersIn, mayHoldCardData } from '../domain/card-numbers.ts';
import { parseExactJson } from '../domain/json.ts';

/** Nearly every body comes back as it is; only one in which something is masked is written anew. */
export function maskDelivery(body: Buffer): Buffer {
  const text = body.toString('utf8');
  if (!mayHoldCardData(text)) return body;
  const masked = text.trimStart().startsWith('{') ? maskJson(text) : maskForm(text);
  return masked === undefined ? body : Buffer.from(masked, 'utf8');
}

/** Undefined when nothing had to be masked, so that the bytes can stay as they came. */
function maskJson(text: string): string | undefined {
  try {
    const before = JSON.stringify(parseExactJson(text));
    const after = JSON.stringify(maskCardNumbersIn(parseExactJson(text)));
    return before === after ? undefined : after;
  } catch {
    return maskCardNumbers(text);
  }
}

/** The bank gateway's form data: the last part of a dotted name is the member. */
function maskForm(text: string): string | undefined {
  if (!text.includes('=')) return maskCardNumbers(text);
  let isChanged = false;
  const pairs = [...new URLSearchParams(text)].map(([name, value]): [string, string] => {
    const path = name.split('.');
    const member = { [path.at(-1) ?? '']: value };
    const masked = maskCardNumbersIn(member, path.at(-2)) as Record<string, string>;
    const [after = ''] = Object.values(masked);
    isChanged ||= after !== value;
    return [name, after];
  });
  return isChanged ? new URLSearchParams(pairs).toString() : undefined;
}
