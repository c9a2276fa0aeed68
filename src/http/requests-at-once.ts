/**
 * Bounds how many requests are worked on at once; the rest is shed with 503 at the least cost, so that a
 * flood does not slow down those who are served. Decision 8.2.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

/** One for all: a flood is no time to collect stacks, nor to log each request that is turned away. */
export const tooMuchAtOnce = new ServiceError('SERVICE_UNAVAILABLE');

const tellEveryMs = 1_000;

type GoOn = (error?: Error) => void;

/** Call it in the scope whose routes, and those of all scopes in it, share the bound. */
export function boundRequestsAtOnce(
  app: FastifyInstance,
  requestsMax: number = limits.requestsAtOnceMax,
  onShed: () => void = () => {},
): void {
  let inside = 0;
  let shed = 0;
  let toldAtMs = Number.NEGATIVE_INFINITY;

  const turnAway = (request: FastifyRequest, goOn: GoOn): void => {
    shed += 1;
    onShed();
    if (performance.now() - toldAtMs >= tellEveryMs) {
      request.log.warn({ shed, requestsMax }, 'too many requests at once: the rest is turned away');
      toldAtMs = performance.now();
      shed = 0;
    }
    // Who is refused at once comes back at once, and a refusal costs a good part of what serving does. So
    // each connection costs one a second, and the others have the rest of the time.
    setTimeout(goOn, limits.shedHoldMs, tooMuchAtOnce);
  };
  const leave = () => {
    inside -= 1;
  };

  // Before anything is read of it; but a body that is still on its way takes no place: slow clients must not
  // shut out the others.
  app.addHook('onRequest', (request, _reply, done) => {
    if (inside < requestsMax) done();
    else turnAway(request, done);
  });
  app.addHook('preValidation', (request, { raw }, done) => {
    if (inside >= requestsMax) return turnAway(request, done);
    // Whose caller has left meanwhile would never leave.
    if (!raw.destroyed) {
      inside += 1;
      raw.once('close', leave);
    }
    done();
  });
}
