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
  { accounts, tokens, clock }: Pick<Services, 'accounts' | 'tokens' | 'clock'>,
  token: string,
): Promise<AuthenticatedCaller> {
  const caller = await tokens.verify(token);
  const { accountId } = caller;
  const account = accounts.recall(accountId) ?? (await accounts.get(accountId));
  // A merchant token is valid as long as the access secret it was issued for.
  if (caller.type !== 'merchant') return { caller, account };
  if (hasLiveAccessSecret(account, caller.secretMark, clock())) return { caller, account };
  // The cached account may be older than that secret if another process issued the token.
  const newest = await accounts.readAgain(accountId);
  if (newest && hasLiveAccessSecret(newest, caller.secretMark, clock())) {
    return { caller, account: newest };
  }
  throw new ServiceError(
    'INVALID_TOKEN',
    'The access secret of this token is no longer valid: get a new token with the current secret.',
  );
}

export function refuseSuspended({ suspendedAt }: Account): void {
  if (suspendedAt !== null) throw new ServiceError('ACCOUNT_SUSPENDED');
}
