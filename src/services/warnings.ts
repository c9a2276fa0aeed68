/**
 * Logs refused webhooks, by reason, and failed calls to providers: at most one warning a minute for each account and
 * provider, with the number suppressed since the last one. Warnings never contain secrets or parts of a body.
 */
import { accountLimits } from '../domain/accounts/limits.ts';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import { isAccountId } from '../domain/ids.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Clock } from '../domain/time.ts';
import type { AccountDirectory } from './account-directory.ts';
import { throttle } from './throttle.ts';

export type Warning = {
  readonly kind: 'webhook-refused' | 'provider-call-failed';
  /** Undefined unless the account is known to exist. */
  readonly accountId: string | undefined;
  readonly provider: ProviderName;
  /** A short text of this service, never text from a caller. */
  readonly reason: string;
  /** These are set for calls to providers. */
  readonly operation?: string;
  readonly outcome?: string;
};

export type LogWarning = (warning: Warning & { readonly suppressed: number }) => void;

type RefusedWebhook = Pick<Warning, 'provider' | 'reason'> & {
  /** From the path or the bearer token, not verified: anybody can send it. */
  readonly claimedAccountId: string | undefined;
};

export type Warnings = ReturnType<typeof createWarnings>;

const everyMs = 60_000;
/** Concurrent account lookups whose only purpose is a log line. */
const lookupsMax = 4;

export function createWarnings(accounts: AccountDirectory, clock: Clock, logWarning: LogWarning) {
  const throttles = createBoundedCache<(warning: Warning) => void>(accountLimits.accountsCachedMax);
  const report = (warning: Warning, times: number) =>
    logWarning({ ...warning, suppressed: times - 1 });
  const warn = (warning: Warning): void => {
    const { kind, provider, accountId = '', reason } = warning;
    // Throttled by reason: a refusal that anybody can cause must not hide one that needs attention.
    const cause = kind === 'webhook-refused' ? reason : '';
    const key = [kind, provider, accountId, cause].join(' ');
    const log = throttles.get(key) ?? throttle(everyMs, report, () => clock().getTime());
    throttles.set(key, log);
    log(warning);
  };
  const findAccountId = createAccountFinder(accounts);
  return {
    refusedWebhook: ({ provider, claimedAccountId, reason }: RefusedWebhook) => {
      void findAccountId(claimedAccountId ?? '').then((accountId) => {
        warn({ kind: 'webhook-refused', accountId, provider, reason });
      });
    },
    failedCall: (failed: Omit<Warning, 'kind'>) =>
      warn({ kind: 'provider-call-failed', ...failed }),
  };
}

/** Returns the id only if the account exists. A flood of invented ids causes few lookups at a time. */
function createAccountFinder({ recall, find }: AccountDirectory) {
  const lookedUp = new Set<string>();
  return async (accountId: string): Promise<string | undefined> => {
    if (!isAccountId(accountId)) return undefined;
    if (recall(accountId)) return accountId;
    if (!lookedUp.has(accountId) && lookedUp.size >= lookupsMax) return undefined;
    lookedUp.add(accountId);
    try {
      return (await find(accountId))?.accountId;
    } catch {
      // Errors of the database are reported elsewhere.
      return undefined;
    } finally {
      lookedUp.delete(accountId);
    }
  };
}
