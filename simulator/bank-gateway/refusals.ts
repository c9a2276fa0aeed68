/** The error replies of the gateway. */
import type { FaultAnswers } from '../faults.ts';
import { Refusal, type Wire } from '../wire.ts';

export function invalidRequest(explanation: string): Refusal {
  return refusal(400, explanation);
}

/** One field of the request is invalid, and the gateway names it. */
export function invalidField(
  field: string,
  explanation = `Value of ${field} is missing or not valid.`,
): Refusal {
  return refusal(400, explanation, { field, validationType: 'INVALID' });
}

export function invalidCredentials(): Refusal {
  return refusal(401, 'Invalid credentials.');
}

const busy = {
  error: { cause: 'SERVER_BUSY', explanation: 'The server is busy; try again later.' },
  result: 'ERROR',
};

/** The gateway limits rates in one way. */
export const gatewayFaults: FaultAnswers = {
  unavailable: { status: 503, body: busy },
  'rate-limited': { status: 429, body: busy },
  'rate-limited-in-words': { status: 429, body: busy },
  'rate-limited-by-code': { status: 429, body: busy },
  refused: invalidRequest('The request could not be processed.'),
  'timed-out': { status: 504, body: '<html><h1>504 Gateway Time-out</h1></html>' },
};

function refusal(status: number, explanation: string, more: Wire = {}): Refusal {
  const error = { cause: 'INVALID_REQUEST', explanation, ...more };
  return new Refusal(status, { error, result: 'ERROR' }, explanation);
}
