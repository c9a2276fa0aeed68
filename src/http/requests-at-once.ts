/**
 * Bounds how many requests are worked on at once. The rest waits at the door for a place, not for long, and is then
 * turned away with 503, so that a flood does not slow down those who are served. Decision 8.2.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../domain/limits.ts';
import { notNow } from './error-reply.ts';

const tellEveryMs = 1_000;

type GoOn = (error?: Error) => void;

type Bounds = {
  readonly requestsMax: number;
  readonly lineMax: number;
  readonly onShed?: () => void;
};

export type Door = { readonly countWaiting: () => number };

/** Call it in the scope whose routes, and those of all scopes in it, share the bound. */
export function boundRequestsAtOnce(
  app: FastifyInstance,
  { requestsMax, lineMax, onShed }: Bounds,
): Door {
  let inside = 0;
  /** In the order in which they came. */
  const waiting = new Set<() => void>();
  const tellShed = tellNowAndThen(requestsMax);

  const letNextIn = () => {
    const [next] = waiting;
    next?.();
  };
  const turnAway = (request: FastifyRequest, goOn: GoOn): void => {
    onShed?.();
    tellShed(request);
    goOn(notNow);
  };
  const waitForPlace = (request: FastifyRequest, { raw }: FastifyReply, goOn: GoOn): void => {
    if (waiting.size >= lineMax) {
      turnAway(request, goOn);
      return;
    }
    const leaveLine = () => {
      clearTimeout(timer);
      waiting.delete(letIn);
      raw.off('close', leaveLine);
    };
    const letIn = () => {
      leaveLine();
      goOn();
    };
    const giveUp = () => {
      leaveLine();
      turnAway(request, goOn);
    };
    const timer = setTimeout(giveUp, limits.doorWaitMsMax);
    waiting.add(letIn);
    // Whose caller has left is not to have the place of one who stayed.
    raw.once('close', leaveLine);
  };
  const leave = () => {
    inside -= 1;
    letNextIn();
  };

  // Before anything is read of it; but a body that is still on its way takes no place: slow clients must not
  // shut out the others.
  app.addHook('onRequest', (request, reply, done) => {
    if (inside < requestsMax) done();
    else waitForPlace(request, reply, done);
  });
  app.addHook('preValidation', (request, reply, done) => {
    const enter: GoOn = (refusal) => {
      // Whose caller has left meanwhile would never leave.
      if (refusal === undefined && !reply.raw.destroyed) {
        inside += 1;
        reply.raw.once('close', leave);
      }
      done(refusal);
    };
    if (inside < requestsMax) enter();
    else waitForPlace(request, reply, enter);
  });
  return { countWaiting: () => waiting.size };
}

/** A line for each would be a flood of its own. */
function tellNowAndThen(requestsMax: number): (request: FastifyRequest) => void {
  let shed = 0;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  return ({ log }) => {
    shed += 1;
    if (performance.now() - toldAtMs < tellEveryMs) return;
    log.warn({ shed, requestsMax }, 'too many requests at once: the rest is turned away');
    toldAtMs = performance.now();
    shed = 0;
  };
}
