/** How the gateway says no. */
import { Refusal } from '../wire.ts';

export function invalidRequest(explanation: string): Refusal {
  return refusal(400, explanation);
}

export function invalidCredentials(): Refusal {
  return refusal(401, 'Invalid credentials.');
}

export const gatewayUnavailable = {
  error: { cause: 'SERVER_BUSY', explanation: 'The server is busy; try again later.' },
  result: 'ERROR',
};

function refusal(status: number, explanation: string): Refusal {
  const error = { cause: 'INVALID_REQUEST', explanation };
  return new Refusal(status, { error, result: 'ERROR' }, explanation);
}
