/** Metrics whose values are read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

type Read = () => Sample[] | Promise<Sample[]>;

export function metricsOf(registry: Registry) {
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
          // Without labels a reset leaves a zero, which would look like a value.
          if (samples.length === 0 && !options.labels) gauge.remove();
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
