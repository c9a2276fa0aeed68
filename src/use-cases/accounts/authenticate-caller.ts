/** Authenticates a caller by its token and refuses suspended accounts. Contract 2.2, 2.6 and 2.8. */
import { type Account, hasLiveAccessSecret } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Clock } from '../../domain/time.ts';
import type { AccountDirectory } from '../../services/account-directory.ts';
import type { AuthenticatedCaller } from '../../services/rate-limits.ts';
import type { TokenService } from '../../services/token-service.ts';

export type VerifyCallerNeeds = {
  readonly tokens: Pick<TokenService, 'verify'>;
  readonly accounts: Pick<AccountDirectory, 'recall' | 'get' | 'readAgain'>;
  readonly clock: Clock;
};

export async function authenticateCaller(
  needs: VerifyCallerNeeds,
  token: string,
): Promise<AuthenticatedCaller> {
  const authenticated = await verifyCaller(needs, token);
  refuseSuspended(authenticated.account);
  return authenticated;
}

/** Authenticates callers of suspended accounts too. */
export async function verifyCaller(
  needs: VerifyCallerNeeds,
  token: string,
): Promise<AuthenticatedCaller> {
  const caller = await needs.tokens.verify(token);
  const { accountId } = caller;
  const account = needs.accounts.recall(accountId) ?? (await needs.accounts.get(accountId));
  const isLive =
    caller.type !== 'merchant' || hasLiveAccessSecret(account, caller.secretMark, needs.clock());
  if (isLive) return { caller, account };
  return { caller, account: await readNewestAccount(needs, accountId, caller.secretMark) };
}

export function refuseSuspended({ suspendedAt }: Account): void {
  if (suspendedAt !== null) throw new ServiceError('ACCOUNT_SUSPENDED');
}

/**
 * A merchant token is valid as long as the access secret it was issued for. The cached account may be older than that
 * secret if another process issued the token.
 */
async function readNewestAccount(
  { accounts, clock }: VerifyCallerNeeds,
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
