/** Exchanges an account's access key and secret for a merchant token. Contract 2.1. */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findAccountIdOfAccessKey } from '../../domain/ids.ts';
import { markOf, matchesAny } from '../../security/compare.ts';
import type { IssuedToken } from '../../security/tokens.ts';
import type { Services } from '../../services/services.ts';

/** Compared when the access key is unknown, so that both refusals take the same time. */
const noSecret = ['access_secret_of_no_account'];

export async function generateToken(
  services: Pick<Services, 'accounts' | 'tokens' | 'clock'>,
  credentials: { readonly accessKey: string; readonly accessSecret: string },
): Promise<IssuedToken> {
  const { accounts } = services;
  // An unknown key must not cause more reads than a wrong secret.
  const proof = { begunAtMs: performance.now() };
  const accountId = findAccountIdOfAccessKey(credentials.accessKey);
  const isProved = (account: Account | undefined) => {
    const secrets = account ? liveSecrets(account, 'access-secret', services.clock()) : noSecret;
    return matchesAny(secrets, credentials.accessSecret) && account !== undefined;
  };
  if (
    accountId === undefined ||
    !(
      isProved(await accounts.find(accountId)) ||
      isProved(await accounts.readAgain(accountId, proof))
    )
  ) {
    throw new ServiceError(
      'AUTHENTICATION_FAILED',
      'access_key and access_secret do not belong together: check both values.',
    );
  }
  const secretMark = markOf(credentials.accessSecret);
  return services.tokens.issue({ type: 'merchant', accountId, secretMark });
}
