/** The dependencies of the routes: the use cases, and the few services that http calls directly. */
import type { Clock } from '../domain/time.ts';
import type { AccountDirectory } from '../services/account-directory.ts';
import type { RateLimits } from '../services/rate-limits.ts';
import type { ServiceSettings } from '../services/services.ts';
import type { BoundUseCases } from '../use-cases/bind-use-cases.ts';
import type { HoldSlot } from './bounds.ts';

export type HttpContext = {
  readonly useCases: BoundUseCases;
  /** For the secrets that open sealed bodies. */
  readonly accounts: AccountDirectory;
  readonly countCall: RateLimits['countCall'];
  readonly countVisitor: RateLimits['countVisitor'];
  readonly holdSlot: HoldSlot;
  readonly clock: Clock;
  readonly settings: Pick<ServiceSettings, 'publicUrl' | 'trustedProxies'>;
};

/** The path of PUBLIC_URL, before the paths of our pages: a proxy may remove it. */
export function basePathOf({ settings }: Pick<HttpContext, 'settings'>): string {
  return new URL(settings.publicUrl).pathname.replace(/\/$/, '');
}
