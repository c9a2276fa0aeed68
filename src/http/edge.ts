/** What the routes of a scope work with: the use cases, and the few services that belong to the edge itself. */
import type { Clock } from '../domain/time.ts';
import type { AccountDirectory } from '../services/account-directory.ts';
import type { CountCall } from '../services/rate-limits.ts';
import type { UseCases } from '../use-cases/served.ts';

export type Edge = {
  readonly useCases: UseCases;
  /** Opens sealed bodies with the secrets of their account. */
  readonly accounts: AccountDirectory;
  readonly countCall: CountCall;
  readonly clock: Clock;
};
