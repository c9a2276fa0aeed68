/** Turns a schema validation error into a message for the merchant: which field, and what it should be. */
import type { FastifySchemaValidationError } from 'fastify/types/schema.js';
import { maskCardNumbers } from '../domain/cards/card-numbers.ts';

export function describeInvalid(error: FastifySchemaValidationError, where: string): string {
  const field = fieldPath(error.instancePath);
  const { params } = error;
  const subject = field === '' ? `The ${where}` : field;
  switch (error.keyword) {
    case 'required':
      return `${field === '' ? '' : `${field}.`}${params.missingProperty} is missing: send it.`;
    case 'type':
      return field === '' && where === 'body'
        ? 'The body must be a JSON object.'
        : `${subject} must be of type ${[params.type].flat().filter(isSendable).join(' or ')}.`;
    case 'maxLength':
      return `${nameOrField(error, subject)} may have at most ${params.limit} characters.`;
    case 'minLength':
      return `${nameOrField(error, subject)} must not be empty.`;
    case 'maxItems':
      return `${subject} may have at most ${params.limit} entries.`;
    case 'maxProperties':
      return `${subject} may have at most ${params.limit} fields.`;
    case 'additionalProperties':
      return `${subject} takes no ${shorten(`${params.additionalProperty}`)}: leave it out.`;
    case 'pattern':
      return `${subject} must match the pattern ${params.pattern}.`;
    case 'enum':
      return `${subject} must be one of ${[params.allowedValues].flat().join(', ')}.`;
    default:
      return `${subject} ${error.message ?? 'is not valid'}.`;
  }
}

/** The caller chooses some names, and a reply should not grow with them. */
const nameCharsMax = 64;

function shorten(name: string): string {
  const masked = maskCardNumbers(name);
  return masked.length > nameCharsMax ? `${masked.slice(0, nameCharsMax)}…` : masked;
}

/** `/order_line_items/0/rate` becomes `order_line_items[0].rate`. */
function fieldPath(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => shorten(part.replaceAll('~1', '/').replaceAll('~0', '~')))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

/** `null` is accepted like an absent field, but the message does not suggest it. */
function isSendable(type: unknown): boolean {
  return type !== 'null';
}

/** An error may be about the name of a field rather than its value. */
function nameOrField(error: FastifySchemaValidationError, subject: string): string {
  return 'propertyName' in error ? `A name in ${subject}` : subject;
}
