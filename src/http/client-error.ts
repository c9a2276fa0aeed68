/** Answers requests that cannot be parsed or arrive too slowly with the contract's error body, and closes the connection. */
import type { Socket } from 'node:net';
import { ServiceError } from '../domain/errors.ts';
import { randomBase62 } from '../domain/ids.ts';
import { errorBody } from './error-reply.ts';

export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const invalid = new ServiceError('INVALID_REQUEST_PARAMETER', explain(error.code));
  const body = `${JSON.stringify(errorBody(invalid))}\n`;
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${randomBase62(20)}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function explain(code: string | undefined): string {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request did not arrive in time: send it without pauses.';
    case 'HPE_HEADER_OVERFLOW':
      return 'The headers are too large: send fewer or shorter ones.';
    default:
      return 'This is not a valid HTTP/1.1 request: check the client.';
  }
}
