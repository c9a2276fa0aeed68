/** The id that links a caller's request to the operator's logs. */
import type { IncomingMessage } from 'node:http';
import { holdsCardNumber } from '../domain/cards/card-numbers.ts';
import { randomBase62 } from '../domain/ids.ts';

/** The caller's `x-request-id` is used where it is safe in headers and logs. */
export function newRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || !/^[\w.-]{1,64}$/.test(given)) return randomBase62(20);
  return holdsCardNumber(given) ? randomBase62(20) : given;
}
