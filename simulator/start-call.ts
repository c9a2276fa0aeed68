/** Answers a call that starts a payment or refund, as the scenario says: immediately, slowly or with a failure. */
import type { FastifyReply } from 'fastify';
import { behaviourOf } from './behaviours.ts';
import type { Wire } from './wire.ts';
import type { Call, World } from './world.ts';

export type StartCall = Omit<Call, 'id'> & {
  /** Our references of the payment or refund, the most specific first. */
  readonly references: readonly string[];
  /** The error body of the provider while it is down. */
  readonly unavailable: Wire;
  readonly effect: () => Started;
};

export type Started = { readonly id: string; readonly status: number; readonly body: Wire };

/** Longer than any caller waits. */
const slowAnswerMs = 30_000;

export function openStartCalls(world: World) {
  const hits = new Map<string, number>();

  return async function answer(reply: FastifyReply, call: StartCall): Promise<FastifyReply> {
    const { provider, operation, references, unavailable, effect } = call;
    const name = references[0] ?? 'unnamed';
    const scenario = world.scenarios.of(references);
    const { calls } = behaviourOf(scenario);
    const hit = countHit(`${provider} ${operation} ${name}`, calls, scenario.times);
    const say = (what: string) => world.log(`${provider}: ${operation} ${name} ${what}`);

    if (calls === 'down' && hit > 0) {
      // A failing provider does both: it breaks connections and answers that it is busy.
      if (hit % 2 === 1) return disconnect();
      return refuse();
    }
    const isSlow = calls === 'slow' && hit > 0;
    if (isSlow && scenario.takesEffect === false) {
      await waitLong();
      return refuse();
    }

    const { id, status, body } = effect();
    say(`→ ${status} ${id}${isSlow ? ', answered late' : ''}`);
    await world.beforeAnswer({ provider, operation, id });
    if (isSlow) await waitLong();
    return reply.code(status).send(body);

    function disconnect(): FastifyReply {
      say('→ connection broken, no effect');
      reply.hijack();
      reply.raw.destroy();
      return reply;
    }

    function refuse(): FastifyReply {
      say('→ 503, no effect');
      return reply.code(503).send(unavailable);
    }

    function waitLong(): Promise<void> {
      return world.schedule.wait(slowAnswerMs, scenario.delayMs);
    }
  };

  /** The number of this call among the affected ones; 0 if it is not affected. */
  function countHit(name: string, calls: string, times?: number): number {
    if (calls === 'prompt') return 0;
    const hit = (hits.get(name) ?? 0) + 1;
    hits.set(name, hit);
    return hit > (times ?? (calls === 'down' ? 2 : 1)) ? 0 : hit;
  }
}

export type StartCalls = ReturnType<typeof openStartCalls>;
