/** Bounds what an endpoint or a provider can make us read before its response begins. Contract 12.6. */
import type { ClientRequest } from 'node:http';
import { eventLimits } from '../domain/events/limits.ts';

/** For the options of a request: of each response, 1xx included. */
export const maxHeaderSize = eventLimits.responseHeaderBytesMax;

/** A server may send 1xx responses before the response itself, and the platform would read them for ever. */
export function limitEarlyResponses(sending: ClientRequest): void {
  let count = 0;
  sending.on('information', () => {
    count += 1;
    if (count <= eventLimits.earlyResponsesMax) return;
    sending.destroy(
      new Error(`more than ${eventLimits.earlyResponsesMax} responses with status 1xx`),
    );
  });
}
