/**
 * What is kept of the answer of an endpoint: the start of its text without card numbers, or why there was none. Contract
 * 12.6.
 */
import type { IncomingMessage } from 'node:http';
import { maskCardNumbers } from '../domain/cards/card-numbers.ts';
import { eventLimits } from '../domain/events/limits.ts';

/** Never rejects: the status has arrived, and only that decides. A longer response is not read to its end. */
export function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      const text = decodeStart(Buffer.concat(chunks));
      const isCut = bytes > eventLimits.eventResponseBytesMax;
      resolve(keepText(isCut ? withoutCutNumber(text) : text));
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > eventLimits.eventResponseBytesMax) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', finish);
  });
}

/** A card number that is cut off at the end is no longer recognised as one, so digits there are left out. */
export function withoutCutNumber(text: string): string {
  let start = text.length;
  while (start > 0 && /[\d\s.+-]/.test(text.charAt(start - 1))) start -= 1;
  const digit = text.slice(start).search(/\d/);
  return digit < 0 ? text : text.slice(0, start + digit);
}

/** PostgreSQL stores no NUL. */
export function keepText(text: string): string {
  return decodeStart(Buffer.from(maskCardNumbers(text.replaceAll('\0', ''))));
}

/** A character that is cut off at the end is left out; bytes that are no text become three times as many. */
function decodeStart(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, eventLimits.eventResponseBytesMax), {
    stream: true,
  });
}

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  ENOTFOUND: 'the name of the host does not resolve',
  EAI_AGAIN: 'the name of the host could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network of the host cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  EPROTO: 'the host does not answer with TLS',
};

/** By the start of their code: there are dozens of each. */
const explainedKinds: ReadonlyArray<readonly [code: RegExp, text: string]> = [
  [/^HPE_/, 'the answer is not valid HTTP'],
  [/^ERR_SSL_/, 'the host does not answer with TLS'],
  [/CERT|SIGNATURE|^CRL_/, 'the certificate of the host is not accepted'],
];

export function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'it could not be sent';
  const { code = '' } = error as NodeJS.ErrnoException;
  // Several addresses were tried, and each has its own error.
  const [first] = error instanceof AggregateError ? error.errors : [];
  if (first) return explainFailure(first);
  const [, kind] = explainedKinds.find(([codes]) => codes.test(code)) ?? [];
  // The platform adds advice for whoever starts the process.
  const message = error.message.replace(/; if the root CA.*/s, '');
  return explanations[code] ?? (kind ? `${kind}: ${message}` : message);
}
