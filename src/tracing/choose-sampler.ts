/** Which traces are exported, by the standard variables OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { StartError } from '../domain/start-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const samplers: Readonly<Record<string, (env: Environment) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (env) => new TraceIdRatioBasedSampler(readRatio(env)),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (env) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(readRatio(env)) }),
};

export function chooseSampler(env: Environment): Sampler {
  const name = env.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on';
  const create = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (create) return create(env);
  throw new StartError(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(samplers).join(', ')}.`);
}

function readRatio(env: Environment): number {
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG?.trim() || 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new StartError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
}
