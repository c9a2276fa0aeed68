/** Corners of HTTP that Node would answer by itself, in another shape than ours. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/errors.ts';

/** HTTP/1.1 wants a Host; Node's own refusal has no body. */
export function findMissingHost(
  { raw }: FastifyRequest,
  reply: FastifyReply,
): ServiceError | undefined {
  if (raw.httpVersion !== '1.1' || raw.headers.host) return undefined;
  reply.header('connection', 'close');
  return new ServiceError('INVALID_REQUEST_PARAMETER', 'The header Host is missing: send it.');
}

/** A method that nobody takes is refused with 405 where the path is known, like any other. */
export function knowEveryMethod(app: FastifyInstance): void {
  const known: readonly string[] = app.supportedMethods;
  // Importing it would load the WebSocket client that it exports as well: 14 MB of memory.
  const { METHODS } = process.getBuiltinModule('node:http');
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !known.includes(method)) app.addHttpMethod(method);
  }
}

/**
 * An expectation we cannot meet is no reason to refuse: the request is answered as it is. A client that asks before it
 * sends its body gets its answer once the body is wanted, and not for a request that is refused.
 */
export function answerExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    const read = request._read.bind(request);
    request._read = (size) => {
      // After a refusal the rest is read only to be thrown away.
      if (!response.headersSent) response.writeContinue();
      request._read = read;
      read(size);
    };
    server.emit('request', request, response);
  });
}
