/** The error replies of the partner. */
import { Refusal } from '../wire.ts';

/** The partner names the field if a single one is invalid. */
export function badRequest(description: string, field?: string): Refusal {
  const error = {
    code: 'BAD_REQUEST_ERROR',
    description,
    source: 'business',
    step: 'payment_initiation',
    reason: 'input_validation_failed',
    metadata: {},
    ...(field && { field }),
  };
  return new Refusal(400, { error }, description);
}

export function unauthorized(): Refusal {
  const description = 'Authentication failed';
  return new Refusal(401, { error: { code: 'BAD_REQUEST_ERROR', description } }, description);
}

export const unknownId = (): Refusal => badRequest('The id provided does not exist');

export const partnerUnavailable = {
  error: { code: 'SERVER_ERROR', description: 'The server is down; try again later.' },
};
