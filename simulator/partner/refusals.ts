/** The error replies of the partner. */
import type { FaultAnswers } from '../faults.ts';
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

export const partnerFaults: FaultAnswers = {
  unavailable: {
    status: 503,
    body: { error: { code: 'SERVER_ERROR', description: 'The server is down; try again later.' } },
  },
  'rate-limited': rateLimit(429, 'BAD_REQUEST_ERROR', 'Request failed'),
  'rate-limited-in-words': rateLimit(400, 'BAD_REQUEST_ERROR', 'Too many requests'),
  'rate-limited-by-code': rateLimit(400, 'RATE_LIMIT_EXCEEDED', 'Request failed'),
  refused: badRequest('The request could not be processed'),
  'timed-out': { status: 504, body: '<html><h1>504 Gateway Time-out</h1></html>' },
};

/** Without a `Retry-After`. */
function rateLimit(status: number, code: string, description: string) {
  return { status, body: { error: { code, description } } };
}
