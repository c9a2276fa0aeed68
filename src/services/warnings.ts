/**
 * Warnings about what may happen often: refused webhooks, by reason, and failed calls to providers. One a minute for
 * each account and provider, with how many were left out since the last one. They carry no secret and nothing of a body.
 */
import { LRUCache } from 'lru-cache';
import { isAccountId } from '../domain/ids.ts';
import { limits } from '../domain/limits.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Clock } from '../domain/time.ts';
import type { AccountDirectory } from './account-directory.ts';
import { throttle } from './throttle.ts';

export type Warning = {
  readonly kind: 'webhook-refused' | 'provider-call-failed';
  /** Undefined where the account is not known to exist. */
  readonly accountId: string | undefined;
  readonly provider: ProviderName;
  /** A few words of our own. */
  readonly reason: string;
  /** Of a call to a provider. */
  readonly operation?: string;
  readonly outcome?: string;
};

export type LogWarning = (warning: Warning & { readonly suppressed: number }) => void;

export type RefusedWebhook = {
  readonly provider: ProviderName;
  /** As the path or the bearer names it: anybody may have written it. */
  readonly claimedAccountId: string | undefined;
  readonly reason: string;
};

export type Warnings = {
  readonly refusedWebhook: (refused: RefusedWebhook) => void;
  readonly failedCall: (failed: Omit<Warning, 'kind'>) => void;
};

const everyMs = 60_000;
/** Accounts that are looked up at once only to be named in a line. */
const lookupsMax = 4;

export function createWarnings(
  accounts: AccountDirectory,
  clock: Clock,
  logWarning: LogWarning,
): Warnings {
  const throttles = new LRUCache<string, (warning: Warning) => void>({
    max: limits.accountsCachedMax,
  });
  const newThrottle = () =>
    throttle(
      everyMs,
      (warning: Warning, times) => logWarning({ ...warning, suppressed: times - 1 }),
      () => clock().getTime(),
    );
  const warn = (warning: Warning): void => {
    const { kind, provider, accountId = '', reason } = warning;
    // A refusal that anybody can bring about must not hide one that needs a look; there are few reasons.
    const cause = kind === 'webhook-refused' ? reason : '';
    const key = [kind, provider, accountId, cause].join(' ');
    const throttle = throttles.get(key) ?? newThrottle();
    throttles.set(key, throttle);
    throttle(warning);
  };
  const findName = createNameFinder(accounts);
  return {
    refusedWebhook: ({ provider, claimedAccountId, reason }) => {
      void findName(claimedAccountId ?? '').then((accountId) => {
        warn({ kind: 'webhook-refused', accountId, provider, reason });
      });
    },
    failedCall: (failed) => warn({ kind: 'provider-call-failed', ...failed }),
  };
}

/** Only accounts that exist are named. A flood of made-up ones costs a few look-ups at a time. */
function createNameFinder({ recall, find }: AccountDirectory) {
  const lookedUp = new Set<string>();
  return async (accountId: string): Promise<string | undefined> => {
    if (!isAccountId(accountId)) return undefined;
    if (recall(accountId)) return accountId;
    if (!lookedUp.has(accountId) && lookedUp.size >= lookupsMax) return undefined;
    lookedUp.add(accountId);
    try {
      return (await find(accountId))?.accountId;
    } catch {
      // A database that is away is reported by others.
      return undefined;
    } finally {
      lookedUp.delete(accountId);
    }
  };
}
