/**
 * Metrics of the service itself: queues, shed requests, the inbox, and providers that fail or are silent. Values
 * are read at each scrape; docs/operations.md says what to do about each.
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
  const { addGauge, addCounter } = metricsOf(registry);
  measureBatches(registry, queueStats);
  addGauge(
    {
      name: 'database_queue_length',
      help: 'Requests that wait in a queue.',
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
      help: 'Calls to providers by outcome: done, refused, unknown or not-sent.',
      labels: ['provider', 'operation', 'outcome'],
    },
    () => counters.listCalls().map(({ count, ...labels }) => [labels, count]),
  );
  addCounter(
    {
      name: 'delivery_transitions_total',
      help: 'Deliveries that entered the state needs_review, dead or expired.',
      labels: ['state'],
    },
    () => counters.listTransitions().map(({ state, count }) => [{ state }, count]),
  );
  addGauge(
    {
      name: 'provider_last_delivery_timestamp_seconds',
      help: 'When the last stored delivery of a provider arrived, since the start of the process.',
      labels: ['provider'],
      aggregator: 'max',
    },
    () =>
      counters.listLastDeliveries().map(({ provider, at }) => [{ provider }, at.getTime() / 1000]),
  );
  measureStored(registry, clock, readCounters);
}

function measureBatches(registry: Registry, queueStats: QueueStats): void {
  const sizes = new Histogram({
    name: 'commit_batch_size',
    help: 'How many requests one batch sent to the database.',
    labelNames: ['queue'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  queueStats.listen((queue, size) => sizes.observe({ queue }, size));
}

/** All workers read the same rows, so their values are not added up. */
function measureStored(registry: Registry, clock: Clock, readCounters: CountersReader): void {
  const { addGauge, addCounter } = metricsOf(registry);
  // While the database does not answer there is nothing to report: old values would be wrong.
  const ifReachable = (list: (stored: OperatorCounters) => Sample[]) => async () => {
    const stored = await readCounters();
    return stored ? list(stored) : [];
  };
  addGauge(
    { name: 'database_up', help: '1 while the database answers.', aggregator: 'min' },
    async () => [[{}, (await readCounters()) ? 1 : 0]],
  );
  addCounter(
    {
      name: 'reviews_resolved_total',
      help: 'Deliveries and review flags that a person has resolved, of all time.',
      labels: ['kind'],
      aggregator: 'max',
    },
    ifReachable(({ resolved }) => resolved.map(({ kind, count }) => [{ kind }, count])),
  );
  addGauge(
    {
      name: 'inbox_deliveries',
      help: 'Deliveries in the state received, parked, dead or needs_review.',
      labels: ['state'],
      aggregator: 'max',
    },
    ifReachable(({ deliveries }) => deliveries.map(({ state, count }) => [{ state }, count])),
  );
  addGauge(
    {
      name: 'inbox_oldest_delivery_age_seconds',
      help: 'Age of the oldest delivery in a state; 0 when there is none.',
      labels: ['state'],
      aggregator: 'max',
    },
    ifReachable(({ deliveries }) =>
      deliveries.map(({ state, oldestAt }) => [{ state }, ageSeconds(oldestAt, clock())]),
    ),
  );
  addGauge(
    {
      name: 'transactions_open',
      help: 'Transactions that are not final, by age.',
      labels: ['type', 'age'],
      aggregator: 'max',
    },
    ifReachable(({ openTransactions }) =>
      openTransactions.map(({ type, age, count }) => [{ type, age }, count]),
    ),
  );
}

function ageSeconds(oldestAt: Date | null, now: Date): number {
  return oldestAt ? Math.max(0, (now.getTime() - oldestAt.getTime()) / 1000) : 0;
}

type Read = () => Sample[] | Promise<Sample[]>;

/** Adds metrics whose values are read at each scrape. */
function metricsOf(registry: Registry) {
  return {
    addGauge: (
      options: {
        readonly name: string;
        readonly help: string;
        readonly labels?: readonly string[];
        /** How the values of several workers are combined. */
        readonly aggregator?: 'sum' | 'max' | 'min';
      },
      read: Read,
    ): void => {
      const gauge = new Gauge({
        name: options.name,
        help: options.help,
        labelNames: [...(options.labels ?? [])],
        aggregator: options.aggregator ?? 'sum',
        registers: [registry],
        collect: async () => {
          const samples = await read();
          gauge.reset();
          for (const [labels, value] of samples) gauge.set(labels, value);
        },
      });
    },
    addCounter: (
      options: {
        readonly name: string;
        readonly help: string;
        readonly labels: readonly string[];
        /** How the values of several workers are combined. */
        readonly aggregator?: 'sum' | 'max';
      },
      read: Read,
    ): void => {
      const counter = new Counter({
        name: options.name,
        help: options.help,
        labelNames: [...options.labels],
        aggregator: options.aggregator ?? 'sum',
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
