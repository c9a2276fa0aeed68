/** Changes the given settings of an account. */
import { isDeepStrictEqual } from 'node:util';
import type { AccountSettings } from '../../domain/accounts/account.ts';
import { confirmRates, listRateChanges } from '../../domain/accounts/exchange-rates.ts';
import { checkLogo } from '../../domain/accounts/logo.ts';
import type { Actor } from '../../domain/audit.ts';
import { checkProviderSettings } from '../../providers/account-settings.ts';
import type { Services } from '../../services/services.ts';
import { deleteLogo, saveLogo } from '../../store/accounts/account-logos.ts';
import { endSecrets, insertSecret } from '../../store/accounts/account-secrets.ts';
import {
  lockAccount,
  type StoredAccount,
  updateAccount as saveAccount,
} from '../../store/accounts/accounts.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { checkProviderAddresses } from './check-provider-addresses.ts';
import { type ApiSecrets, sealSecret } from './create-account.ts';
import { unknownAccount } from './rotate-secret.ts';

/** `logo` are the bytes of an image; null removes the logo. */
export async function updateAccount(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock' | 'settings'>,
  accountId: string,
  decideChange: (account: StoredAccount) => Partial<AccountSettings>,
  actor: Actor,
  {
    apiSecrets = {},
    logo: bytes,
  }: { apiSecrets?: ApiSecrets; logo?: Buffer | null | undefined } = {},
) {
  const logo = bytes && checkLogo(bytes);
  return services.database.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (!account) throw unknownAccount(accountId);
    const { secrets: _sealed, createdAt: _created, ...before } = account;
    const requested = { ...before, ...decideChange(account) };
    checkProviderSettings(requested);
    const alternateCurrencies = confirmRates(account, requested.alternateCurrencies);
    const after = { ...requested, alternateCurrencies };
    checkProviderAddresses(services.settings, 'operator', before, after);
    await saveAccount(tx, accountId, after);
    const now = services.clock();
    for (const [kind, value] of Object.entries(apiSecrets)) {
      // No overlap: we use the new secret for all calls from now on.
      await endSecrets(tx, accountId, kind, now);
      await insertSecret(tx, accountId, sealSecret(services, accountId, kind, value), now);
    }
    if (logo) await saveLogo(tx, accountId, logo, bytes);
    else if (logo === null) await deleteLogo(tx, accountId);
    const changed = [
      ...listChanged(before, after),
      ...Object.keys(apiSecrets),
      ...(logo === undefined || logo?.digest === account.logo?.digest ? [] : ['logo']),
    ];
    if (changed.length > 0) {
      const rates = listRateChanges(before.alternateCurrencies, alternateCurrencies);
      const details = { changed, ...(rates.length > 0 && { rates }) };
      const action = 'account.updated';
      await appendAudit(tx, actor, now, { accountId, action, object: accountId, details });
    }
    return { ...after, logo: logo === undefined ? account.logo : logo };
  });
}

/** The names of the settings with another value than before. Values may be long, and the names say enough, except of rates. */
function listChanged<Settings extends object>(before: Settings, after: Settings): string[] {
  return Object.keys(after).filter(
    (name) => !isDeepStrictEqual(before[name as keyof Settings], after[name as keyof Settings]),
  );
}
