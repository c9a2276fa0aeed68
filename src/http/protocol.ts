/** Cases of HTTP that Node would answer by itself, without the contract's error body. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/errors.ts';

/** HTTP/1.1 requires `Host`; Node's own refusal has no body. */
export function findMissingHost(
  { raw }: FastifyRequest,
  reply: FastifyReply,
): ServiceError | undefined {
  if (raw.httpVersion !== '1.1' || raw.headers.host) return undefined;
  reply.header('connection', 'close');
  return new ServiceError('INVALID_REQUEST_PARAMETER', 'The header Host is missing: send it.');
}

/** Fastify routes only methods it knows; registering all lets an unsupported one be answered 405 instead of 404. */
export function registerEveryMethod(app: FastifyInstance): void {
  const known: readonly string[] = app.supportedMethods;
  // An import would also load the WebSocket client that `node:http` exports: 14 MB of memory.
  const { METHODS } = process.getBuiltinModule('node:http');
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !known.includes(method)) app.addHttpMethod(method);
  }
}

/**
 * Serves requests with an unknown `Expect` header like any other. `100 Continue` is sent when the body is first read,
 * and so never for a request that is refused before that.
 */
export function handleExpectHeader({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    const read = request._read.bind(request);
    request._read = (size) => {
      // After a refusal the body is read only to be discarded.
      if (!response.headersSent) response.writeContinue();
      request._read = read;
      read(size);
    };
    server.emit('request', request, response);
  });
}
