/** What goes wrong for each order, by a seed: its scenario, the faults of its API calls, and the lag of its lists. */
import type { Behaviour } from '../../../simulator/behaviours.ts';
import type { Fault, FaultOf } from '../../../simulator/faults.ts';
import { pick, pickWeighted, type Random, randomOf } from '../../../simulator/random.ts';
import type { Scenario } from '../../../simulator/scenario.ts';

/** The name of an order of the plan, by one of our references. Undefined for a reference of something else. */
export type NameOf = (reference: string) => string | undefined;

export function openFaultPlan(seed: number, nameOf: NameOf) {
  let isOver = false;
  const reads = new Map<string, number>();
  const courses = new Map<string, Fault[]>();
  const starts = new Map<string, number>();
  const refused = new Set<string>();
  const nameAmong = (references: readonly string[]) =>
    references.map(nameOf).find((name) => name !== undefined);

  return {
    faultOf: ({ operation, references }: Parameters<FaultOf>[0]): Fault | undefined => {
      const name = nameAmong(references);
      if (isOver || name === undefined) return undefined;
      if (operation === 'fetch') return readFault(randomOf(seed, `${name} ${next(reads, name)}`));
      const call = `${operation} ${references[0]}`;
      const course = courses.get(call) ?? startCourse(name, operation);
      courses.set(call, course);
      const fault = course.shift();
      if (fault === 'refused') refused.add(references[0] ?? '');
      return fault;
    },
    /** Whether a call with this reference was refused, in whole or in part. */
    wasRefused: (reference: string) => [...refused].some((known) => known.startsWith(reference)),
    lagMsOf: (references: readonly string[]) => {
      const name = nameAmong(references);
      if (isOver || name === undefined) return 0;
      return pickWeighted(randomOf(seed, `${name} lag`), lags);
    },
    /** Nothing goes wrong from now on. */
    end: () => {
      isOver = true;
    },
  };

  /** By the number of the start, because the ids differ from run to run. */
  function startCourse(name: string, operation: string): Fault[] {
    const number = next(starts, `${name} ${operation}`);
    return faultsOfStart(randomOf(seed, `${name} ${operation} ${number}`));
  }
}

function next(counts: Map<string, number>, name: string): number {
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  return count;
}

const rateLimits = ['rate-limited', 'rate-limited-in-words', 'rate-limited-by-code'] as const;
const lost = ['answer-lost', 'timed-out'] as const;
const down = ['broken', 'unavailable'] as const;

const lags = [
  [0, 6],
  [30_000, 2],
  [150_000, 2],
  [1_200_000, 1],
] as const;

function readFault(random: Random): Fault | undefined {
  return random() < 0.9 ? undefined : pick(random, [...rateLimits, ...lost, ...down]);
}

const startFaults = [
  ['none', 50],
  ['lost', 14],
  ['lost, then refused', 12],
  ['limited', 10],
  ['down', 8],
  ['refused', 3],
] as const;

/** The faults of one start, call by call; nothing goes wrong after them. */
function faultsOfStart(random: Random): Fault[] {
  const some = (faults: readonly [Fault, ...Fault[]], max: number) =>
    Array.from({ length: 1 + Math.floor(random() * max) }, () => pick(random, faults));
  const kind = pickWeighted(random, startFaults);
  switch (kind) {
    case 'none':
      return [];
    case 'lost':
      return some(lost, 4);
    case 'lost, then refused':
      return [...some(lost, 4), ...some(['refused'], 3)];
    case 'limited':
      return some([pick(random, rateLimits)], 5);
    case 'down':
      return some(down, 4);
    case 'refused':
      return ['refused'];
    default:
      return kind satisfies never;
  }
}

/** What becomes of the payments and refunds of an order. */
export function scenarioOf(seed: number, name: string): Scenario {
  const random = randomOf(seed, `${name} scenario`);
  const behaviour: Partial<Behaviour> = {
    payment: pickWeighted(random, [
      ['paid', 70],
      ['declined-then-paid', 16],
      ['first-try-declined', 14],
    ]),
    partner: pickWeighted(random, [
      ['captured', 50],
      ['captured-later', 8],
      ['released', 5],
      ['discounted', 14],
      ['charged-fee', 12],
    ]),
    gateway: pickWeighted(random, [
      ['paid', 40],
      ['captured-later', 8],
      ['released', 4],
      ['captured-in-parts', 24],
      ['captured-in-part', 6],
      ['captured-again', 4],
      ['voided', 4],
    ]),
    disputes: pickWeighted(random, [
      [[], 94],
      [[{ share: 1, steps: ['lost'] }], 6],
    ]),
    refund: pickWeighted(random, [
      ['processed', 45],
      ['failed', 10],
      ['failed-then-processed', 15],
      ['second-part-declined', 20],
    ]),
  };
  return { name: 'happy', behaviour, delayMs: 1_000 * Math.floor(1 + random() * 600) };
}
