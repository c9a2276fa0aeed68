/** Metrics of what this process has done since its start: calls, events, checkouts and deliveries. */
import type { Registry } from 'prom-client';
import type { Counters } from '../../services/counters.ts';
import { metricsOf } from './sampled-metrics.ts';

export function measureActivity(registry: Registry, counters: Counters): void {
  const { addGauge, addCounter } = metricsOf(registry);
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
      name: 'event_attempts_total',
      help: 'Attempts to send an event to a shop, by outcome: delivered, refused or unreachable.',
      labels: ['outcome'],
    },
    () => counters.listAttempts().map(({ outcome, count }) => [{ outcome }, count]),
  );
  addCounter(
    {
      name: 'checkouts_total',
      help: 'Checkouts that consumers opened, in which they chose a way to pay, and that ended: paid, failed or left.',
      labels: ['step'],
    },
    () => counters.listCheckouts().map(({ step, count }) => [{ step }, count]),
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
}
