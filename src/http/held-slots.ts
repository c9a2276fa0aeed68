/**
 * What a request holds while it is worked on, such as its slots. It is freed when the reply is handed over to the
 * connection, so that a client that reads slowly holds nothing, and not before the handler has ended, so that a client
 * that disconnects leaves no work behind that nobody counts. Contract 8.2.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    work: Work | null;
  }
}

type Work = {
  readonly frees: Array<() => void>;
  /** Of the handler, once it has been called. */
  result: unknown;
};

/** After its client has left, a request is not waited for longer than this: a slot must never be lost. */
const abandonedMsMax = 60_000;

/** For the routes of this scope and of all scopes inside it. */
export function watchWork(app: FastifyInstance): void {
  app.decorateRequest('work', null);
  app.addHook('onRoute', (route) => {
    route.handler = rememberResult(route.handler);
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.work) freeAll(request.work);
    done(null, payload);
  });
}

/** Calls `free` once, when the work ends. */
export function holdWhileWorking(request: FastifyRequest, { raw }: FastifyReply, free: () => void) {
  if (!request.work) {
    const work: Work = { frees: [], result: undefined };
    request.work = work;
    raw.on('close', () => freeWhenEnded(work));
    // A closed socket never fires `close`, and the handler of its request is called all the same.
    if (raw.destroyed) setTimeout(freeAll, abandonedMsMax, work).unref();
  }
  request.work.frees.push(free);
}

function rememberResult(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function handle(request, reply) {
    const result = handler.call(this, request, reply);
    if (request.work) {
      request.work.result = result;
      if (reply.raw.destroyed) freeWhenEnded(request.work);
    }
    return result;
  };
}

function freeWhenEnded(work: Work): void {
  if (work.frees.length === 0) return;
  const end = () => {
    clearTimeout(timer);
    freeAll(work);
  };
  const timer = setTimeout(end, abandonedMsMax).unref();
  if (work.result instanceof Promise) work.result.then(end, end);
  else end();
}

function freeAll({ frees }: Work): void {
  for (const free of frees.splice(0)) free();
}
