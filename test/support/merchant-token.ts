/** Issues a merchant token for tests that have an account without its credentials. */
import { liveSecrets } from '../../src/domain/accounts/account.ts';
import { markOf } from '../../src/security/compare.ts';
import type { IssuedToken } from '../../src/security/tokens.ts';
import type { Services } from '../../src/services/services.ts';

export async function issueMerchantToken(
  services: Services,
  accountId: string,
): Promise<IssuedToken> {
  const account = await services.accounts.find(accountId);
  const [secret = ''] = account ? liveSecrets(account, 'access-secret', services.clock()) : [];
  return services.tokens.issue({ type: 'merchant', accountId, secretMark: markOf(secret) });
}
