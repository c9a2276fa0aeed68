/**
 * What hurts, for an operator: what waits and for how long, what was turned away, which provider fails or is
 * silent. Read when somebody asks for the page; docs/operations.md tells what to do about each.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../domain/time.ts';
import type { Counters, QueueStats } from '../../services/counters.ts';
import type {
  CountersReader,
  OperatorCounters,
} from '../../use-cases/maintenance/read-counters.ts';

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

export type Measured = {
  readonly queueStats: QueueStats;
  readonly counters: Counters;
  readonly clock: Clock;
};

export function measureService(
  registry: Registry,
  { queueStats, counters, clock }: Measured,
  readCounters: CountersReader,
): void {
  const { addGauge, addCounter } = metersOf(registry);
  measureBatches(registry, queueStats);
  addGauge(
    {
      name: 'database_queue_length',
      help: 'Requests that wait for the database.',
      labels: ['queue'],
    },
    () => queueStats.listQueues().map(({ queue, waiting }) => [{ queue }, waiting]),
  );
  addCounter(
    {
      name: 'requests_shed_total',
      help: 'Requests answered 503 because a queue was full.',
      labels: ['queue'],
    },
    () => queueStats.listQueues().map(({ queue, shed }) => [{ queue }, shed]),
  );
  addCounter(
    {
      name: 'provider_calls_total',
      help: 'Calls to providers by what came of them: done, refused, unknown or not-sent.',
      labels: ['provider', 'operation', 'outcome'],
    },
    () => counters.listCalls().map(({ count, ...labels }) => [labels, count]),
  );
  addCounter(
    {
      name: 'delivery_transitions_total',
      help: 'Deliveries that came to need a person, were given up on, or expired.',
      labels: ['state'],
    },
    () => counters.listTransitions().map(({ state, count }) => [{ state }, count]),
  );
  addGauge(
    {
      name: 'provider_last_delivery_timestamp_seconds',
      help: 'When a provider last sent a delivery that was kept, since the start of the process.',
      labels: ['provider'],
      together: 'max',
    },
    () =>
      counters.listLastDeliveries().map(({ provider, at }) => [{ provider }, at.getTime() / 1000]),
  );
  measureStored(registry, clock, readCounters);
}

function measureBatches(registry: Registry, queueStats: QueueStats): void {
  const sizes = new Histogram({
    name: 'commit_batch_size',
    help: 'How many requests went to the database together.',
    labelNames: ['queue'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  queueStats.listen((queue, size) => sizes.observe({ queue }, size));
}

/** All workers see the same rows, so together they tell what one of them tells. */
function measureStored(registry: Registry, clock: Clock, readCounters: CountersReader): void {
  const { addGauge, addCounter } = metersOf(registry);
  // While the database does not answer there is nothing to tell, and old figures would be wrong.
  const ifAnswered = (list: (stored: OperatorCounters) => Sample[]) => async () => {
    const stored = await readCounters();
    return stored ? list(stored) : [];
  };
  addGauge(
    { name: 'database_up', help: '1 while the database answers.', together: 'min' },
    async () => [[{}, (await readCounters()) ? 1 : 0]],
  );
  addCounter(
    {
      name: 'reviews_resolved_total',
      help: 'Deliveries and flags that a person has closed, ever.',
      labels: ['kind'],
      together: 'max',
    },
    ifAnswered(({ resolved }) => resolved.map(({ kind, count }) => [{ kind }, count])),
  );
  addGauge(
    {
      name: 'inbox_deliveries',
      help: 'Deliveries that wait, gave up waiting, or need a person.',
      labels: ['state'],
      together: 'max',
    },
    ifAnswered(({ deliveries }) => deliveries.map(({ state, count }) => [{ state }, count])),
  );
  addGauge(
    {
      name: 'inbox_oldest_delivery_age_seconds',
      help: 'How long the oldest delivery of a state has been there; 0 when there is none.',
      labels: ['state'],
      together: 'max',
    },
    ifAnswered(({ deliveries }) =>
      deliveries.map(({ state, oldestAt }) => [{ state }, ageSeconds(oldestAt, clock())]),
    ),
  );
  addGauge(
    {
      name: 'transactions_open',
      help: 'Transactions that are not final, by the time since they were started.',
      labels: ['type', 'age'],
      together: 'max',
    },
    ifAnswered(({ openTransactions }) =>
      openTransactions.map(({ type, age, count }) => [{ type, age }, count]),
    ),
  );
}

function ageSeconds(oldestAt: Date | null, now: Date): number {
  return oldestAt ? Math.max(0, (now.getTime() - oldestAt.getTime()) / 1000) : 0;
}

type Read = () => Sample[] | Promise<Sample[]>;

/** Meters that are filled anew each time the page is asked for. */
function metersOf(registry: Registry) {
  return {
    addGauge: (
      about: {
        readonly name: string;
        readonly help: string;
        readonly labels?: readonly string[];
        /** What workers tell together. */
        readonly together?: 'sum' | 'max' | 'min';
      },
      read: Read,
    ): void => {
      const gauge = new Gauge({
        name: about.name,
        help: about.help,
        labelNames: [...(about.labels ?? [])],
        aggregator: about.together ?? 'sum',
        registers: [registry],
        collect: async () => {
          const samples = await read();
          gauge.reset();
          for (const [labels, value] of samples) gauge.set(labels, value);
        },
      });
    },
    addCounter: (
      about: {
        readonly name: string;
        readonly help: string;
        readonly labels: readonly string[];
        /** What workers tell together. */
        readonly together?: 'sum' | 'max';
      },
      read: Read,
    ): void => {
      const counter = new Counter({
        name: about.name,
        help: about.help,
        labelNames: [...about.labels],
        aggregator: about.together ?? 'sum',
        registers: [registry],
        collect: async () => {
          const samples = await read();
          counter.reset();
          for (const [labels, value] of samples) counter.inc(labels, value);
        },
      });
    },
  };
}
