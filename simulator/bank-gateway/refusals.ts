/** The error replies of the gateway. */
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

export const gatewayUnavailable = {
  error: { cause: 'SERVER_BUSY', explanation: 'The server is busy; try again later.' },
  result: 'ERROR',
};

function refusal(status: number, explanation: string, more: Wire = {}): Refusal {
  const error = { cause: 'INVALID_REQUEST', explanation, ...more };
  return new Refusal(status, { error, result: 'ERROR' }, explanation);
}
