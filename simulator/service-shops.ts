/**
 * Reads the shops from the database of the service, so that nothing has to be registered by hand. This is the only file
 * of the simulator that imports code of the service.
 */

import { type Account, liveSecrets, type SecretKind } from '../src/domain/accounts/account.ts';
import type { ProviderName } from '../src/domain/provider-name.ts';
import { type Bootstrapped, joinBootstrapped } from '../src/process/bootstrap.ts';
import { readConfig } from '../src/process/config.ts';
import { createLog } from '../src/process/log.ts';
import { getProvider } from '../src/providers/providers.ts';
import { webhookUrlOf } from '../src/services/provider-apis.ts';
import type { Services } from '../src/services/services.ts';
import { listAccounts } from '../src/store/accounts/accounts.ts';
import type { Shop } from './simulator.ts';

export function openServiceShops(env: NodeJS.ProcessEnv) {
  // Connects on first use, because the simulator may be started before the service.
  let joined: Promise<Bootstrapped> | undefined;
  const join = () => {
    joined ??= joinBootstrapped(readConfig(env), createLog('silent'));
    joined.catch(() => {
      joined = undefined;
    });
    return joined;
  };
  return {
    /** By the partner key id or the gateway merchant id that the service uses. */
    find: async (name: string) => findShopOf((await join()).services, name),
    close: async () => (await joined)?.close(),
  };
}

/** By the same names, in a database that is open already. */
export async function findShopOf(services: Services, name: string): Promise<Shop | undefined> {
  const found = (await listAccounts(services.database)).find(({ providerApis }) =>
    Object.values(providerApis).some(({ login }) => login === name),
  );
  return found && toShop(services, await services.accounts.get(found.accountId));
}

function toShop(services: Services, account: Account): Shop {
  const partner = settingsOf(services, account, 'partner');
  const gateway = settingsOf(services, account, 'bank-gateway');
  return {
    partner: { keyId: partner.login, keySecret: partner.apiSecret, ...partner.webhook },
    gateway: { merchantId: gateway.login, password: gateway.apiSecret, ...gateway.webhook },
  };
}

/** An account's settings at one provider, under the names that both providers share. */
function settingsOf(services: Services, account: Account, provider: ProviderName) {
  const { apiSecret, webhookSecret } = getProvider(provider).settings;
  const currentSecret = (kind: SecretKind) => liveSecrets(account, kind, services.clock())[0] ?? '';
  return {
    login: account.providerApis[provider]?.login ?? '',
    apiSecret: currentSecret(apiSecret.option),
    webhook: {
      webhookUrl: webhookUrlOf(services, provider, account.accountId),
      webhookSecret: currentSecret(webhookSecret),
    },
  };
}
