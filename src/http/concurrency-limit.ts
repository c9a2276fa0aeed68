/**
 * Bounds how many requests are worked on at once. The rest waits at the door for a place, not for long, and is then
 * turned away with 503, so that a flood does not slow down those who are served. Contract 8.2.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../domain/limits.ts';
import { throttle } from '../services/throttle.ts';
import { notNow } from './error-reply.ts';

const tellEveryMs = 1_000;

type GoOn = (error?: Error) => void;

type Bounds = {
  readonly requestsMax: number;
  /** Of those who wait: how many, and how much they brought with them. */
  readonly lineMax: number;
  readonly lineBytesMax: number;
  readonly onShed?: () => void;
};

export type AdmissionQueue = { readonly countWaiting: () => number };

/** Call it in the scope whose routes, and those of all scopes in it, share the bounds. */
export function limitConcurrency(app: FastifyInstance, bounds: Bounds): AdmissionQueue {
  const { requestsMax, lineMax, lineBytesMax, onShed } = bounds;
  let inside = 0;
  let bytesWaiting = 0;
  /** In the order in which they came. */
  const waiting = new Set<() => void>();
  // A line for each would be a flood of its own.
  const tellShed = throttle(tellEveryMs, ({ log }: FastifyRequest, shed) => {
    log.warn({ shed, requestsMax }, 'too many requests at once: the rest is turned away');
  });

  const enter = (raw: FastifyReply['raw'], goOn: GoOn): void => {
    // Whose caller has left meanwhile would never leave.
    if (!raw.destroyed) {
      inside += 1;
      // It closes once, and to listen once costs more.
      raw.on('close', leave);
    }
    goOn();
  };
  const leave = () => {
    inside -= 1;
    const [next] = waiting;
    next?.();
  };
  const turnAway = (request: FastifyRequest, goOn: GoOn): void => {
    onShed?.();
    tellShed(request);
    goOn(notNow);
  };
  /** Who is refused at once comes back at once, and costs as much as one who is served. */
  const turnAwayLater = (request: FastifyRequest, goOn: GoOn): void => {
    request.body = undefined;
    setTimeout(turnAway, limits.admissionRefusalDelayMs, request, goOn);
  };
  const waitForPlace = (request: FastifyRequest, { raw }: FastifyReply, goOn: GoOn): void => {
    const bytes = bodyBytesOf(request);
    const leaveLine = () => {
      clearTimeout(timer);
      waiting.delete(letIn);
      bytesWaiting -= bytes;
      raw.off('close', leaveLine);
    };
    const letIn = () => {
      leaveLine();
      enter(raw, goOn);
    };
    const giveUp = () => {
      leaveLine();
      turnAway(request, goOn);
    };
    const timer = setTimeout(giveUp, limits.admissionWaitMsMax);
    waiting.add(letIn);
    bytesWaiting += bytes;
    // Whose caller has left is not to have the place of one who stayed.
    raw.once('close', leaveLine);
  };

  // When all of it is there and its caller is known: slow clients and those who are refused take no place.
  app.addHook('preValidation', (request, reply, done) => {
    if (inside < requestsMax || reply.raw.destroyed) enter(reply.raw, done);
    else if (waiting.size >= lineMax || bytesWaiting >= lineBytesMax) turnAwayLater(request, done);
    else waitForPlace(request, reply, done);
  });
  return { countWaiting: () => waiting.size };
}

/** A body that does not say its length may have all that is allowed. */
function bodyBytesOf({ method, headers }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD') return 0;
  return Number(headers['content-length'] ?? limits.bodyBytesMax);
}
