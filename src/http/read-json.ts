/** Parses a JSON body without loss: what cannot be stored is refused, and exact numbers keep their text. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { isNestedDeeper, parseExactJson } from '../domain/json/json.ts';
import { limits } from '../domain/limits.ts';

export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, readJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

export function readJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  if (isNestedDeeper(bytes, limits.nestingMax)) {
    refuse(`The body is nested deeper than ${limits.nestingMax} levels: make it flatter.`);
  }
  const value = parse(text);
  // Only an escape can produce such text: the bytes are valid UTF-8, and JSON has no raw control characters.
  if (text.includes('\\u')) refuseUnstorableText(value);
  return value;
}

const byteOrderMark = '\uFEFF';

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) refuse('The body is not valid UTF-8: encode it as UTF-8.');
  const text = bytes.toString('utf8');
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return refuse('The body is not valid JSON: check quotes, commas and braces.');
  }
}

/** PostgreSQL can store neither NUL nor half of a surrogate pair. */
function refuseUnstorableText(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      refuse('The body has text with \\u0000 or half a surrogate pair: remove that character.');
    }
  } else if (Array.isArray(value)) {
    for (const item of value) refuseUnstorableText(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) {
      refuseUnstorableText(name);
      refuseUnstorableText((value as Readonly<Record<string, unknown>>)[name]);
    }
  }
}

function refuse(message: string): never {
  throw new ServiceError('INVALID_REQUEST_PARAMETER', message);
}
