/**
 * Metrics of the service itself: queues, shed requests, the inbox, and providers that fail or are silent. Values
 * are read at each scrape; docs/operations.md says what to do about each.
 */
import { Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../domain/time.ts';
import type { Counters, QueueStats } from '../../services/counters.ts';
import type { CountersReader, OperatorCounters } from '../../use-cases/upkeep/read-counters.ts';
import { measureActivity } from './activity-metrics.ts';
import { metricsOf, type Sample } from './sampled-metrics.ts';

type Measured = {
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
  measureActivity(registry, counters);
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

type IfReachable = (list: (stored: OperatorCounters) => Sample[]) => () => Promise<Sample[]>;

/** All workers read the same rows, so their values are not added up. */
function measureStored(registry: Registry, clock: Clock, readCounters: CountersReader): void {
  const { addGauge, addCounter } = metricsOf(registry);
  // While the database does not answer there is nothing to report: old values would be wrong.
  const ifReachable: IfReachable = (list) => async () => {
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
  addGauge(
    {
      name: 'stored_counts_timestamp_seconds',
      help: 'When the sweep took the counts that are shown from 10,000 on; 0 if it never did.',
      aggregator: 'max',
    },
    ifReachable(({ countedAt }) => [[{}, secondsOf(countedAt)]]),
  );
  measureEvents(registry, clock, ifReachable);
  measureBackground(registry, ifReachable);
}

/** Webhooks to shops. */
function measureEvents(registry: Registry, clock: Clock, ifReachable: IfReachable): void {
  const { addGauge } = metricsOf(registry);
  const aggregator = 'max';
  addGauge(
    {
      name: 'events_waiting',
      help: 'Events that wait for an enabled endpoint, and events that were given up.',
      labels: ['state'],
      aggregator,
    },
    ifReachable(({ events }) => [
      [{ state: 'pending' }, events.pending.count],
      [{ state: 'undelivered' }, events.undelivered],
    ]),
  );
  addGauge(
    {
      name: 'events_oldest_pending_age_seconds',
      help: 'Age of the oldest event that waits for an enabled endpoint; 0 when there is none.',
      aggregator,
    },
    ifReachable(({ events }) => [[{}, ageSeconds(events.pending.oldestAt, clock())]]),
  );
  addGauge(
    {
      name: 'endpoints_disabled',
      help: 'Disabled endpoints: by an operator, or by the service because they failed.',
      labels: ['by'],
      aggregator,
    },
    ifReachable(({ events: { disabledEndpoints } }) => [
      [{ by: 'operator' }, disabledEndpoints.byOperator],
      [{ by: 'service' }, disabledEndpoints.byService],
    ]),
  );
}

/** The steps of the sweep, and the loops that run all the time. */
function measureBackground(registry: Registry, ifReachable: IfReachable): void {
  const { addGauge, addCounter } = metricsOf(registry);
  const labels = ['step'];
  const aggregator = 'max';
  addGauge(
    {
      name: 'background_step_last_success_timestamp_seconds',
      help: 'When a step of the background last succeeded; 0 if it never did.',
      ...{ labels, aggregator },
    },
    ifReachable(({ steps }) =>
      steps.map(({ step, lastSuccessAt }) => [{ step }, secondsOf(lastSuccessAt)]),
    ),
  );
  addGauge(
    {
      name: 'background_step_duration_seconds',
      help: 'How long the last run of a step took.',
      ...{ labels, aggregator },
    },
    ifReachable(({ steps }) =>
      steps.map(({ step, lastDurationMs }) => [{ step }, lastDurationMs / 1000]),
    ),
  );
  addCounter(
    {
      name: 'background_step_failures_total',
      help: 'Runs of a step that failed, over the lifetime of the database.',
      ...{ labels, aggregator },
    },
    ifReachable(({ steps }) => steps.map(({ step, failures }) => [{ step }, failures])),
  );
  addGauge(
    {
      name: 'background_step_backlog',
      help: 'What the last run of a step left for the next one, counted up to 100,000.',
      ...{ labels, aggregator },
    },
    ifReachable(({ steps }) =>
      steps.flatMap(({ step, backlog }) => (backlog === null ? [] : [[{ step }, backlog]])),
    ),
  );
}

function secondsOf(time: Date | null | undefined): number {
  return (time?.getTime() ?? 0) / 1000;
}

function ageSeconds(oldestAt: Date | null, now: Date): number {
  return oldestAt ? Math.max(0, (now.getTime() - oldestAt.getTime()) / 1000) : 0;
}
