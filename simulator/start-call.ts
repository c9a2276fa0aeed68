/** Answers calls of a provider's API as the scenario says: immediately, slowly or with a fault. */
import type { FastifyReply } from 'fastify';
import type { ApiCall } from './api-call.ts';
import { behaviourOf } from './behaviours.ts';
import type { CallCounts } from './call-counts.ts';
import { answerFault, type FaultAnswers, takesEffect } from './faults.ts';
import type { Wire } from './wire.ts';
import type { World } from './world.ts';

/** A call that starts a payment, refund, capture or void. */
type StartCall = ApiCall & {
  /** Our reference of the payment that it is about; the first of all unless given. */
  readonly paymentReference?: string;
  readonly answers: FaultAnswers;
  readonly effect: () => Started;
};

type Started = { readonly id: string; readonly status: number; readonly body: Wire };

/** Longer than any caller waits. */
const slowAnswerMs = 30_000;

export function openStartCalls(world: World, counts: CallCounts) {
  const slowCalls = new Map<string, number>();

  return async function answer(reply: FastifyReply, call: StartCall): Promise<FastifyReply> {
    const { provider, operation, references, answers, effect } = call;
    const name = references[0] ?? 'unnamed';
    const scenario = world.scenarios.of(references);
    const say = (what: string) => world.log(`${provider}: ${operation} ${name} ${what}`);
    const counted = { provider, operation, reference: call.paymentReference ?? name };
    counts.addArrived(counted);
    const waitLong = () => world.schedule.wait(slowAnswerMs, scenario.delayMs);

    const fault = world.faultOf(call);
    if (fault && !takesEffect(fault)) {
      say(`→ ${fault}, no effect`);
      return answerFault(reply, fault, answers);
    }
    const isSlow = behaviourOf(scenario).calls === 'slow' && isAmongFirst(scenario.times ?? 1);
    if (isSlow && scenario.takesEffect === false) {
      await waitLong();
      say('→ 503, no effect');
      return answerFault(reply, 'unavailable', answers);
    }

    const { id, status, body } = effect();
    counts.addMade(counted, id);
    say(`→ ${fault ?? status} ${id}${isSlow ? ', answered late' : ''}`);
    await world.beforeAnswer({ provider, operation, id });
    if (isSlow) await waitLong();
    return fault ? answerFault(reply, fault, answers) : reply.code(status).send(body);

    function isAmongFirst(times: number): boolean {
      const label = `${provider} ${operation} ${name}`;
      const hit = (slowCalls.get(label) ?? 0) + 1;
      slowCalls.set(label, hit);
      return hit <= times;
    }
  };
}

export type StartCalls = ReturnType<typeof openStartCalls>;

/** A call that only reads. */
type ReadCall = Omit<ApiCall, 'operation'> & {
  readonly url: string;
  readonly id: string;
  readonly answers: FaultAnswers;
  /** Lists leave out what is younger than `lagMs`. */
  readonly find: (lagMs: number) => Wire;
};

export async function answerRead(
  world: World,
  reply: FastifyReply,
  { provider, references, url, id, answers, find }: ReadCall,
): Promise<FastifyReply> {
  const operation = 'fetch';
  const fault = world.faultOf({ provider, operation, references });
  world.log(`${provider}: GET ${url}${fault ? ` → ${fault}` : ''}`);
  if (fault) return answerFault(reply, fault, answers);
  const body = find(world.lagMsOf(references));
  await world.beforeAnswer({ provider, operation, id });
  return reply.send(body);
}
