/** What can go wrong with one call of a provider's API, and what does under a scenario. */
import type { FastifyReply } from 'fastify';
import type { ApiCall } from './api-call.ts';
import { type Behaviour, behaviourOf } from './behaviours.ts';
import type { Scenarios } from './scenarios.ts';
import type { Wire } from './wire.ts';

export type Fault =
  /** Without effect: the connection breaks, or the provider is down, limits the rate, or refuses. */
  | 'broken'
  | 'unavailable'
  | RateLimit
  | 'refused'
  /** With effect: the connection breaks instead of the answer, or a proxy answers 504. */
  | 'answer-lost'
  | 'timed-out';

/** The partner limits rates in three ways: by the status 429, or by 400 with certain words or a certain code. */
type RateLimit = 'rate-limited' | 'rate-limited-in-words' | 'rate-limited-by-code';

/** Called once for each call of an API. Undefined if nothing goes wrong. */
export type FaultOf = (call: ApiCall) => Fault | undefined;

/** The answers of one provider. */
export type FaultAnswers = Readonly<
  Record<
    Exclude<Fault, 'broken' | 'answer-lost'>,
    { readonly status: number; readonly body: Wire | string }
  >
>;

export function takesEffect(fault: Fault): boolean {
  return fault === 'answer-lost' || fault === 'timed-out';
}

export function answerFault(
  reply: FastifyReply,
  fault: Fault,
  answers: FaultAnswers,
): FastifyReply {
  if (fault === 'broken' || fault === 'answer-lost') {
    reply.hijack();
    reply.raw.destroy();
    return reply;
  }
  const { status, body } = answers[fault];
  return reply.code(status).send(body);
}

type Course = { readonly faults: readonly Fault[]; readonly times: number; readonly last?: Fault };

/** The faults take turns for so many calls, and `last` follows once. */
const courses: Readonly<Partial<Record<Behaviour['calls'], Course>>> = {
  // A failing provider does both: it breaks connections and answers that it is busy.
  down: { faults: ['broken', 'unavailable'], times: 2 },
  lost: { faults: ['answer-lost', 'timed-out'], times: 3 },
  'lost-then-refused': { faults: ['timed-out'], times: 3, last: 'refused' },
  limited: {
    faults: ['rate-limited', 'rate-limited-in-words', 'rate-limited-by-code'],
    times: 3,
  },
};

/** The faults of the scenario that applies to a call. Only rate limits apply to calls that read. */
export function faultsByScenario(scenarios: Pick<Scenarios, 'of'>): FaultOf {
  const hits = new Map<string, number>();
  return ({ provider, operation, references }) => {
    const scenario = scenarios.of(references);
    const { calls } = behaviourOf(scenario);
    const course = courses[calls];
    if (!course || (operation === 'fetch' && calls !== 'limited')) return undefined;
    const name = `${provider} ${operation} ${references[0] ?? 'unnamed'}`;
    const hit = hits.get(name) ?? 0;
    hits.set(name, hit + 1);
    const times = scenario.times ?? course.times;
    if (hit === times) return course.last;
    return hit < times ? course.faults[hit % course.faults.length] : undefined;
  };
}
