/** Authenticates a caller by its token and refuses suspended accounts. Contract 2.2, 2.6 and 2.8. */
import { type Account, hasLiveAccessSecret } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AuthenticatedCaller } from '../../services/rate-limits.ts';
import type { Services } from '../../services/services.ts';

export async function authenticateCaller(
  services: Pick<Services, 'accounts' | 'tokens' | 'clock'>,
  token: string,
): Promise<AuthenticatedCaller> {
  const authenticated = await verifyCaller(services, token);
  refuseSuspended(authenticated.account);
  return authenticated;
}

/** Authenticates callers of suspended accounts too. */
export async function verifyCaller(
  services: Pick<Services, 'accounts' | 'tokens' | 'clock'>,
  token: string,
): Promise<AuthenticatedCaller> {
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
 * A merchant token is valid as long as the access secret it was issued for. The cached account may be older than that
 * secret if another process issued the token.
 */
async function readNewestAccount(
  { accounts, clock }: Pick<Services, 'accounts' | 'clock'>,
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
