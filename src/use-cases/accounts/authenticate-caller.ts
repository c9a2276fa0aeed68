/** Who makes a call: a valid token of an account that is served. Contract 2.2, 2.6 and 2.8. */

import { type Account, hasLiveAccessSecret } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { AuthenticatedCaller } from '../../services/rate-limits.ts';
import type { TokenService } from '../../services/token-service.ts';

type Needs = {
  readonly accounts: AccountDirectory;
  readonly tokens: TokenService;
  readonly clock: Clock;
};

export async function authenticateCaller(
  services: Needs,
  token: string,
): Promise<AuthenticatedCaller> {
  const authenticated = await verifyCaller(services, token);
  refuseSuspended(authenticated.account);
  return authenticated;
}

/** The same, whether or not the account is suspended. */
export async function verifyCaller(services: Needs, token: string): Promise<AuthenticatedCaller> {
  const caller = await services.tokens.verify(token);
  const { accountId } = caller;
  const account = services.accounts.recall(accountId) ?? (await services.accounts.get(accountId));
  const isLive =
    caller.type !== 'merchant' || hasLiveAccessSecret(account, caller.secretMark, services.clock());
  if (isLive) return { caller, account };
  return { caller, account: await readNewestAccount(services, accountId, caller.secretMark) };
}

export function refuseSuspended({ suspendedAt }: Account): void {
  if (suspendedAt !== null) throw new ServiceError('ACCOUNT_SUSPENDED');
}

/**
 * A merchant token ends with the access secret it was issued for. Another process may have issued it for a secret that
 * is newer than what is known here.
 */
async function readNewestAccount(
  { accounts, clock }: Needs,
  accountId: string,
  mark: string,
): Promise<Account> {
  const account = await accounts.readAgain(accountId);
  if (account && hasLiveAccessSecret(account, mark, clock())) return account;
  throw new ServiceError(
    'INVALID_TOKEN',
    'The access secret of this token is no longer valid: get a new token with the current secret.',
  );
}
