/** Changes the settings of an account; what is not named stays as it is. */
import { type AccountSettings, checkSettings } from '../domain/account.ts';
import {
  lockAccount,
  type StoredAccount,
  updateAccount as saveAccount,
} from '../store/accounts.ts';
import { unknownAccount } from './rotate-secret.ts';
import type { Services } from './services.ts';

export async function updateAccount(
  services: Services,
  accountId: string,
  decideChange: (account: StoredAccount) => Partial<AccountSettings>,
): Promise<AccountSettings & { readonly accountId: string }> {
  return services.database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) throw unknownAccount(accountId);
    const { secrets: _sealed, createdAt: _created, ...before } = account;
    const after = { ...before, ...decideChange(account) };
    await saveAccount(tx, accountId, checkSettings(after));
    return after;
  });
}
