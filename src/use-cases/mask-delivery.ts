/** A delivery's bytes as they may be kept: a full card number in them is masked. Decision 8.4. */
import { holdsCardNumber, maskCardNumbers, maskCardNumbersIn } from '../domain/card-numbers.ts';

/** Nearly every body comes back as it is; only one that holds a card number is written anew. */
export function maskDelivery(body: Buffer): Buffer {
  const text = body.toString('utf8');
  if (!holdsCardNumber(text)) return body;
  return Buffer.from(maskJson(text) ?? maskForm(text), 'utf8');
}

function maskJson(text: string): string | undefined {
  try {
    return JSON.stringify(maskCardNumbersIn(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** The bank gateway's form data: the last part of a dotted name is the member. */
function maskForm(text: string): string {
  if (!text.includes('=')) return maskCardNumbers(text);
  const pairs = [...new URLSearchParams(text)].map(([name, value]): [string, string] => {
    const path = name.split('.');
    const isCard = path.at(-2) === 'card';
    const member = { [path.at(-1) ?? '']: value };
    const masked = maskCardNumbersIn(member, isCard ? 'card' : '') as Record<string, string>;
    return [name, Object.values(masked)[0] ?? ''];
  });
  return new URLSearchParams(pairs).toString();
}
