/** Requests beyond the limit wait in a bounded queue, then get a 503, so that a flood slows nobody. Contract 8.2. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '../domain/limits.ts';
import { throttle } from '../services/throttle.ts';
import { bounds } from './bounds.ts';
import { serviceUnavailable } from './error-reply.ts';
import { holdWhileWorking, watchWork } from './held-slots.ts';
import { httpLimits } from './limits.ts';

const logEveryMs = 1_000;

type Proceed = (error?: Error) => void;

type ConcurrencyLimits = {
  readonly concurrentRequestsMax: number;
  readonly queueMax: number;
  /** The bodies of all queued requests together. */
  readonly queueBytesMax: number;
  readonly onShed?: () => void;
};

/** The routes of this scope and of all scopes inside it share the limits. */
export function limitConcurrency(
  app: FastifyInstance,
  { concurrentRequestsMax, queueMax, queueBytesMax, onShed }: ConcurrencyLimits,
) {
  watchWork(app);
  let active = 0;
  let queuedBytes = 0;
  /** First in, first out: a set iterates in the order of insertion. */
  const queue = new Set<() => void>();
  // A log line for each shed request would be a flood of its own.
  const logShed = throttle(logEveryMs, ({ log }: FastifyRequest, shed) => {
    log.warn({ shed, concurrentRequestsMax }, 'too many concurrent requests: some are shed');
  });

  const admit = (request: FastifyRequest, reply: FastifyReply, proceed: Proceed): void => {
    active += 1;
    holdWhileWorking(request, reply, freeSlot);
    proceed();
  };
  const freeSlot = () => {
    active -= 1;
    const [admitNext] = queue;
    admitNext?.();
  };
  const shed = (request: FastifyRequest, proceed: Proceed): void => {
    onShed?.();
    logShed(request);
    proceed(serviceUnavailable);
  };
  /** A client that is refused immediately retries immediately, and that costs as much as serving it. */
  const shedLater = (request: FastifyRequest, proceed: Proceed): void => {
    request.body = undefined;
    setTimeout(shed, httpLimits.admissionRefusalDelayMs, request, proceed);
  };
  const enqueue = (request: FastifyRequest, reply: FastifyReply, proceed: Proceed): void => {
    const { raw } = reply;
    const bytes = bodyBytesOf(request);
    const leaveQueue = () => {
      clearTimeout(timer);
      queue.delete(admitQueued);
      queuedBytes -= bytes;
      raw.off('close', leaveQueue);
    };
    const admitQueued = () => {
      leaveQueue();
      admit(request, reply, proceed);
    };
    const timeOut = () => {
      leaveQueue();
      shed(request, proceed);
    };
    const timer = setTimeout(timeOut, httpLimits.admissionWaitMsMax);
    queue.add(admitQueued);
    queuedBytes += bytes;
    // A caller that disconnects must not be given a slot.
    raw.once('close', leaveQueue);
  };

  // By then the body has arrived and the caller is authenticated: slow clients and refused callers take no slot.
  app.addHook('preValidation', (request, reply, done) => {
    if (!takesSlot(request)) done();
    else if (active < concurrentRequestsMax) admit(request, reply, done);
    else if (reply.raw.destroyed) shed(request, done);
    else if (queue.size >= queueMax || queuedBytes >= queueBytesMax) shedLater(request, done);
    else enqueue(request, reply, done);
  });
  return { countWaiting: () => queue.size };
}

function takesSlot({ routeOptions }: FastifyRequest): boolean {
  const { bound } = routeOptions.config;
  return bound === undefined || bounds[bound].takesSlot;
}

/** A body without a declared length counts as the largest allowed. */
function bodyBytesOf({ method, headers }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD') return 0;
  return Number(headers['content-length'] ?? limits.bodyBytesMax);
}
