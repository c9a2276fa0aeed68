/** Metrics of the service itself, read at each scrape; docs/operations.md says what to do about each. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { displayExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
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
  const database = metricsOf(registry, 'min', async () => ((await readCounters()) ? 1 : 0));
  database.addGauge('database_up', '1 while the database answers.', (isUp) => [[{}, isUp]]);
  // All workers read the same rows, so their values are not added up. While the database does not answer there is
  // nothing to report: old values would be wrong.
  const stored = metricsOf(registry, 'max', readCounters);
  measureInbox(stored, clock);
  measureDisputes(stored, clock);
  measureEvents(stored, clock);
  measureBackground(stored);
}

function measureQueues(registry: Registry, queueStats: QueueStats): void {
  const sizes = new Histogram({
    name: 'commit_batch_size',
    help: 'How many requests one batch sent to the database.',
    labelNames: ['queue'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  });
  const stages = new Histogram({
    name: 'commit_batch_stage_seconds',
    help: 'Where the time of a batch goes: wait, lock, fold, database, answer.',
    labelNames: ['queue', 'stage'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers: [registry],
  });
  queueStats.listen({
    onBatch: (queue, size) => sizes.observe({ queue }, size),
    onStage: (queue, stage, seconds) => stages.observe({ queue, stage }, seconds),
  });
  const { addGauge, addCounter } = metricsOf(registry, 'sum', () => queueStats.listQueues());
  addGauge('database_queue_length{queue}', 'Requests that wait in a queue.', (queues) =>
    queues.map(({ queue, waiting }) => [{ queue }, waiting]),
  );
  const shed = 'Requests answered 503 because a queue was full.';
  addCounter('requests_shed_total{queue}', shed, (queues) =>
    queues.map(({ queue, shed }) => [{ queue }, shed]),
  );
}

function measureActivity(registry: Registry, counters: Counters): void {
  const { addCounter } = metricsOf(registry, 'sum', () => counters);
  addCounter(
    'provider_calls_total{provider,operation,outcome}',
    'Calls to providers by outcome: done, refused, unknown or not-sent.',
    ({ listCalls }) => listCalls().map(countOf),
  );
  addCounter(
    'event_attempts_total{outcome}',
    'Attempts to send an event to a shop, by outcome: delivered, refused or unreachable.',
    ({ listAttempts }) => listAttempts().map(countOf),
  );
  addCounter(
    'checkouts_total{step}',
    'Checkouts that consumers opened, in which they chose a way to pay, and that ended: paid, failed or left.',
    ({ listCheckouts }) => listCheckouts().map(countOf),
  );
  addCounter(
    'delivery_transitions_total{state}',
    'Deliveries that entered the state needs_review, dead or expired.',
    ({ listTransitions }) => listTransitions().map(countOf),
  );
  metricsOf(registry, 'max', () => counters.listLastDeliveries()).addGauge(
    'provider_last_delivery_timestamp_seconds{provider}',
    'When the last stored delivery of a provider arrived, since the start of the process.',
    (deliveries) => deliveries.map(({ provider, at }) => [{ provider }, secondsOf(at)]),
  );
}

type Stored = ReturnType<typeof metricsOf<OperatorCounters>>;

function measureInbox({ addGauge, addCounter }: Stored, clock: Clock): void {
  addCounter(
    'reviews_resolved_total{kind}',
    'Deliveries and review flags that a person has resolved, of all time.',
    ({ resolved }) => resolved.map(countOf),
  );
  addGauge(
    'inbox_deliveries{state}',
    'Deliveries in the state received, parked, dead or needs_review.',
    ({ deliveries }) => deliveries.map(({ state, count }) => [{ state }, count]),
  );
  addGauge(
    'inbox_oldest_delivery_age_seconds{state}',
    'Age of the oldest delivery in a state; 0 when there is none.',
    ({ deliveries }) =>
      deliveries.map(({ state, oldestAt }) => [{ state }, ageSeconds(oldestAt, clock())]),
  );
  addGauge(
    'transactions_open{type,age}',
    'Transactions that are not final, by age.',
    ({ openTransactions }) => openTransactions.map(countOf),
  );
  addGauge(
    'stored_counts_timestamp_seconds',
    'When the sweep took the counts that are shown from 10,000 on; 0 if it never did.',
    ({ countedAt }) => [[{}, secondsOf(countedAt)]],
  );
}

function measureDisputes({ addGauge }: Stored, clock: Clock): void {
  addGauge('disputes_open', 'Disputes that are open or under review.', ({ disputes }) => [
    [{}, disputes.reduce((sum, { count }) => sum + count, 0)],
  ]);
  addGauge(
    'disputes_amount_at_stake{currency}',
    'What these disputes claim, in major units.',
    ({ disputes }) =>
      disputes.flatMap(({ currency, amount }): Sample[] =>
        currency === null ? [] : [[{ currency }, majorNumber(amount, displayExponent(currency))]],
      ),
  );
  addGauge(
    'dispute_nearest_deadline_seconds',
    'Time until the first deadline of a dispute that waits for a shop; below 0 once it has passed. Absent without one.',
    ({ disputes }) => {
      const deadlines = disputes.flatMap(({ respondBy }) => respondBy?.getTime() ?? []);
      if (deadlines.length === 0) return [];
      return [[{}, (Math.min(...deadlines) - clock().getTime()) / 1000]];
    },
  );
}

function measureEvents({ addGauge }: Stored, clock: Clock): void {
  addGauge(
    'events_waiting{state}',
    'Events that wait for an enabled endpoint, and events that were given up.',
    ({ events }) => [
      [{ state: 'pending' }, events.pending.count],
      [{ state: 'undelivered' }, events.undelivered],
    ],
  );
  addGauge(
    'events_oldest_pending_age_seconds',
    'Age of the oldest event that waits for an enabled endpoint; 0 when there is none.',
    ({ events }) => [[{}, ageSeconds(events.pending.oldestAt, clock())]],
  );
  addGauge(
    'endpoints_disabled{by}',
    'Disabled endpoints: by an operator, or by the service because they failed.',
    ({ events: { disabledEndpoints } }) => [
      [{ by: 'operator' }, disabledEndpoints.byOperator],
      [{ by: 'service' }, disabledEndpoints.byService],
    ],
  );
}

function measureBackground({ addGauge, addCounter }: Stored): void {
  addGauge(
    'background_step_last_success_timestamp_seconds{step}',
    'When a step of the background last succeeded; 0 if it never did.',
    ({ steps }) => steps.map(({ step, lastSuccessAt }) => [{ step }, secondsOf(lastSuccessAt)]),
  );
  addGauge(
    'background_step_duration_seconds{step}',
    'How long the last run of a step took.',
    ({ steps }) => steps.map(({ step, lastDurationMs }) => [{ step }, lastDurationMs / 1000]),
  );
  addCounter(
    'background_step_failures_total{step}',
    'Runs of a step that failed, over the lifetime of the database.',
    ({ steps }) => steps.map(({ step, failures }) => [{ step }, failures]),
  );
  addGauge(
    'background_step_backlog{step}',
    'What the last run of a step left for the next one, counted up to 100,000.',
    ({ steps }) =>
      steps.flatMap(({ step, backlog }) => (backlog === null ? [] : [[{ step }, backlog]])),
  );
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** There are none while `load` returns nothing. The aggregator combines the values of several workers. */
function metricsOf<Source>(
  registry: Registry,
  aggregator: 'sum' | 'max' | 'min',
  load: () => Source | undefined | Promise<Source | undefined>,
) {
  type Read = (source: Source) => Sample[];
  const optionsOf = (nameAndLabels: string, help: string) => {
    const [name = '', ...labelNames] = nameAndLabels.split(/[{,}]/).filter((part) => part !== '');
    return { name, help, labelNames, aggregator, registers: [registry] };
  };
  const sample = async (read: Read) => {
    const source = await load();
    return source === undefined ? [] : read(source);
  };
  const addGauge = (nameAndLabels: string, help: string, read: Read) => {
    const options = optionsOf(nameAndLabels, help);
    const collect = async () => {
      const samples = await sample(read);
      gauge.reset();
      // Without labels a reset leaves a zero, which would look like a value.
      if (samples.length === 0 && options.labelNames.length === 0) gauge.remove();
      for (const [labels, value] of samples) gauge.set(labels, value);
    };
    const gauge = new Gauge({ ...options, collect });
  };
  const addCounter = (nameAndLabels: string, help: string, read: Read) => {
    const collect = async () => {
      const samples = await sample(read);
      counter.reset();
      for (const [labels, value] of samples) counter.inc(labels, value);
    };
    const counter = new Counter({ ...optionsOf(nameAndLabels, help), collect });
  };
  return { addGauge, addCounter };
}

function countOf({ count, ...labels }: { readonly count: number }): Sample {
  return [labels, count];
}

function secondsOf(time: Date | null | undefined): number {
  return (time?.getTime() ?? 0) / 1000;
}

function ageSeconds(oldestAt: Date | null, now: Date): number {
  return oldestAt ? Math.max(0, (now.getTime() - oldestAt.getTime()) / 1000) : 0;
}
