/**
 * Binds the use cases that HTTP may call to the services of this process. Routes get the bound functions instead of the
 * services, so they cannot reach the database.
 */
import type { Services } from '../services/services.ts';
import * as useCases from './http-use-cases.ts';

type Bound<UseCase> = UseCase extends (services: Services, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export type BoundUseCases = {
  readonly [Name in keyof typeof useCases]: Bound<(typeof useCases)[Name]>;
};

export function bindUseCases(services: Services): BoundUseCases {
  const bound = Object.entries(useCases).map(([name, useCase]) => [
    name,
    (useCase as (...parameters: unknown[]) => unknown).bind(undefined, services),
  ]);
  return Object.fromEntries(bound);
}
