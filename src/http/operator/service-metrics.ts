/**
 * Metrics of the service itself: queues, shed requests, what this process has done since its start, the inbox, events and
 * the background. Values are read at each scrape; docs/operations.md says what to do about each.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Clock } from '../../domain/time.ts';
import type { Counters, QueueStats } from '../../services/counters.ts';
import type { CountersReader, OperatorCounters } from '../../use-cases/upkeep/read-counters.ts';

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
  measureQueues(registry, queueStats);
  measureActivity(registry, counters);
  measureStored(registry, clock, readCounters);
}

function measureQueues(registry: Registry, queueStats: QueueStats): void {
  const sizes = new Histogram({
    name: 'commit_batch_size',
    help: 'How many requests one batch sent to the database.',
    labelNames: ['queue'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  queueStats.listen((queue, size) => sizes.observe({ queue }, size));
  const { addGauge, addCounter } = metricsOf(registry, 'sum');
  addGauge('database_queue_length', 'Requests that wait in a queue.', ['queue'], () =>
    queueStats.listQueues().map(({ queue, waiting }) => [{ queue }, waiting]),
  );
  addCounter(
    'requests_shed_total',
    'Requests answered 503 because a queue was full.',
    ['queue'],
    () => queueStats.listQueues().map(({ queue, shed }) => [{ queue }, shed]),
  );
}

/** What this process has done since its start. */
function measureActivity(registry: Registry, counters: Counters): void {
  const { addCounter } = metricsOf(registry, 'sum');
  addCounter(
    'provider_calls_total',
    'Calls to providers by outcome: done, refused, unknown or not-sent.',
    ['provider', 'operation', 'outcome'],
    () => counters.listCalls().map(countOf),
  );
  addCounter(
    'event_attempts_total',
    'Attempts to send an event to a shop, by outcome: delivered, refused or unreachable.',
    ['outcome'],
    () => counters.listAttempts().map(countOf),
  );
  addCounter(
    'checkouts_total',
    'Checkouts that consumers opened, in which they chose a way to pay, and that ended: paid, failed or left.',
    ['step'],
    () => counters.listCheckouts().map(countOf),
  );
  addCounter(
    'delivery_transitions_total',
    'Deliveries that entered the state needs_review, dead or expired.',
    ['state'],
    () => counters.listTransitions().map(countOf),
  );
  metricsOf(registry, 'max').addGauge(
    'provider_last_delivery_timestamp_seconds',
    'When the last stored delivery of a provider arrived, since the start of the process.',
    ['provider'],
    () => counters.listLastDeliveries().map(({ provider, at }) => [{ provider }, secondsOf(at)]),
  );
}

type IfReachable = (list: (stored: OperatorCounters) => Sample[]) => () => Promise<Sample[]>;

/** All workers read the same rows, so their values are not added up. */
function measureStored(registry: Registry, clock: Clock, readCounters: CountersReader): void {
  // While the database does not answer there is nothing to report: old values would be wrong.
  const ifReachable: IfReachable = (list) => async () => {
    const stored = await readCounters();
    return stored ? list(stored) : [];
  };
  metricsOf(registry, 'min').addGauge(
    'database_up',
    '1 while the database answers.',
    [],
    async () => [[{}, (await readCounters()) ? 1 : 0]],
  );
  const { addGauge, addCounter } = metricsOf(registry, 'max');
  addCounter(
    'reviews_resolved_total',
    'Deliveries and review flags that a person has resolved, of all time.',
    ['kind'],
    ifReachable(({ resolved }) => resolved.map(countOf)),
  );
  addGauge(
    'inbox_deliveries',
    'Deliveries in the state received, parked, dead or needs_review.',
    ['state'],
    ifReachable(({ deliveries }) => deliveries.map(({ state, count }) => [{ state }, count])),
  );
  addGauge(
    'inbox_oldest_delivery_age_seconds',
    'Age of the oldest delivery in a state; 0 when there is none.',
    ['state'],
    ifReachable(({ deliveries }) =>
      deliveries.map(({ state, oldestAt }) => [{ state }, ageSeconds(oldestAt, clock())]),
    ),
  );
  addGauge(
    'transactions_open',
    'Transactions that are not final, by age.',
    ['type', 'age'],
    ifReachable(({ openTransactions }) => openTransactions.map(countOf)),
  );
  addGauge(
    'stored_counts_timestamp_seconds',
    'When the sweep took the counts that are shown from 10,000 on; 0 if it never did.',
    [],
    ifReachable(({ countedAt }) => [[{}, secondsOf(countedAt)]]),
  );
  measureEvents(registry, clock, ifReachable);
  measureBackground(registry, ifReachable);
}

/** Webhooks to shops. */
function measureEvents(registry: Registry, clock: Clock, ifReachable: IfReachable): void {
  const { addGauge } = metricsOf(registry, 'max');
  addGauge(
    'events_waiting',
    'Events that wait for an enabled endpoint, and events that were given up.',
    ['state'],
    ifReachable(({ events }) => [
      [{ state: 'pending' }, events.pending.count],
      [{ state: 'undelivered' }, events.undelivered],
    ]),
  );
  addGauge(
    'events_oldest_pending_age_seconds',
    'Age of the oldest event that waits for an enabled endpoint; 0 when there is none.',
    [],
    ifReachable(({ events }) => [[{}, ageSeconds(events.pending.oldestAt, clock())]]),
  );
  addGauge(
    'endpoints_disabled',
    'Disabled endpoints: by an operator, or by the service because they failed.',
    ['by'],
    ifReachable(({ events: { disabledEndpoints } }) => [
      [{ by: 'operator' }, disabledEndpoints.byOperator],
      [{ by: 'service' }, disabledEndpoints.byService],
    ]),
  );
}

/** The steps of the sweep, and the loops that run all the time. */
function measureBackground(registry: Registry, ifReachable: IfReachable): void {
  const { addGauge, addCounter } = metricsOf(registry, 'max');
  type Step = OperatorCounters['steps'][number];
  const ofSteps = (read: (step: Step) => number | null) =>
    ifReachable(({ steps }) =>
      steps.flatMap((step) => {
        const value = read(step);
        return value === null ? [] : [[{ step: step.step }, value]];
      }),
    );
  addGauge(
    'background_step_last_success_timestamp_seconds',
    'When a step of the background last succeeded; 0 if it never did.',
    ['step'],
    ofSteps(({ lastSuccessAt }) => secondsOf(lastSuccessAt)),
  );
  addGauge(
    'background_step_duration_seconds',
    'How long the last run of a step took.',
    ['step'],
    ofSteps(({ lastDurationMs }) => lastDurationMs / 1000),
  );
  addCounter(
    'background_step_failures_total',
    'Runs of a step that failed, over the lifetime of the database.',
    ['step'],
    ofSteps(({ failures }) => failures),
  );
  addGauge(
    'background_step_backlog',
    'What the last run of a step left for the next one, counted up to 100,000.',
    ['step'],
    ofSteps(({ backlog }) => backlog),
  );
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

type AddMetric = (
  name: string,
  help: string,
  labelNames: string[],
  read: () => Sample[] | Promise<Sample[]>,
) => void;

/** Metrics whose values are read at each scrape. The aggregator combines the values of several workers. */
function metricsOf(registry: Registry, aggregator: 'sum' | 'max' | 'min') {
  const registers = [registry];
  const addGauge: AddMetric = (name, help, labelNames, read) => {
    const collect = async () => {
      const samples = await read();
      gauge.reset();
      // Without labels a reset leaves a zero, which would look like a value.
      if (samples.length === 0 && labelNames.length === 0) gauge.remove();
      for (const [labels, value] of samples) gauge.set(labels, value);
    };
    const gauge = new Gauge({ name, help, labelNames, aggregator, registers, collect });
  };
  const addCounter: AddMetric = (name, help, labelNames, read) => {
    const collect = async () => {
      const samples = await read();
      counter.reset();
      for (const [labels, value] of samples) counter.inc(labels, value);
    };
    const counter = new Counter({ name, help, labelNames, aggregator, registers, collect });
  };
  return { addGauge, addCounter };
}

/** The fields beside the count are labels. */
function countOf({ count, ...labels }: { readonly count: number }): Sample {
  return [labels, count];
}

function secondsOf(time: Date | null | undefined): number {
  return (time?.getTime() ?? 0) / 1000;
}

function ageSeconds(oldestAt: Date | null, now: Date): number {
  return oldestAt ? Math.max(0, (now.getTime() - oldestAt.getTime()) / 1000) : 0;
}
