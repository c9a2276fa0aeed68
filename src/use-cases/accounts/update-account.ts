/** Changes the given settings of an account. */
import type { AccountSettings } from '../../domain/accounts/account.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { checkProviderSettings } from '../../providers/account-settings.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { endSecrets, insertSecret } from '../../store/account-secrets.ts';
import {
  lockAccount,
  type StoredAccount,
  updateAccount as saveAccount,
} from '../../store/accounts.ts';
import { type ApiSecrets, sealSecret } from './create-account.ts';
import { unknownAccount } from './rotate-secret.ts';

type Needs = NeedsOf<typeof sealSecret> & {
  readonly database: Database;
  readonly clock: Clock;
};

export async function updateAccount(
  services: Needs,
  accountId: string,
  decideChange: (account: StoredAccount) => Partial<AccountSettings>,
  apiSecrets: ApiSecrets = {},
): Promise<AccountSettings & { readonly accountId: string }> {
  return services.database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) throw unknownAccount(accountId);
    const { secrets: _sealed, createdAt: _created, ...before } = account;
    const after = { ...before, ...decideChange(account) };
    await saveAccount(tx, accountId, checkProviderSettings(after));
    const now = services.clock();
    for (const [kind, value] of Object.entries(apiSecrets)) {
      // No overlap: we use the new secret for all calls from now on.
      await endSecrets(tx, accountId, kind, now);
      await insertSecret(tx, accountId, sealSecret(services, accountId, kind, value), now);
    }
    return after;
  });
}
