/**
 * Reads the shops from the database of the service, so that nothing has to be registered by hand. This is the only file
 * of the simulator that imports code of the service.
 */

import { type Bootstrapped, joinBootstrapped } from '../src/bootstrap.ts';
import { readConfig } from '../src/config.ts';
import { type Account, liveSecrets } from '../src/domain/accounts/account.ts';
import { createLog } from '../src/log.ts';
import { webhookUrlOf } from '../src/services/provider-apis.ts';
import type { Services } from '../src/services/services.ts';
import { listAccounts } from '../src/store/accounts.ts';
import type { Shop } from './simulator.ts';

export type ServiceShops = {
  /** By the partner key id or the gateway merchant id that the service uses. */
  readonly find: (name: string) => Promise<Shop | undefined>;
  readonly close: () => Promise<void>;
};

export function openServiceShops(env: NodeJS.ProcessEnv): ServiceShops {
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
    find: async (name) => findShop((await join()).services, name),
    close: async () => (await joined)?.close(),
  };
}

async function findShop(services: Services, name: string): Promise<Shop | undefined> {
  const found = (await listAccounts(services.database)).find(({ providerApis }) =>
    Object.values(providerApis).some(({ login }) => login === name),
  );
  return found && toShop(services, await services.accounts.get(found.accountId));
}

function toShop(services: Services, account: Account): Shop {
  const { accountId, providerApis } = account;
  const secret = (kind: Parameters<typeof liveSecrets>[1]) =>
    liveSecrets(account, kind, services.clock())[0] ?? '';
  return {
    partner: {
      keyId: providerApis.partner?.login ?? '',
      keySecret: secret('partner-key-secret'),
      webhookUrl: webhookUrlOf(services, 'partner', accountId),
      webhookSecret: secret('partner-webhook-secret'),
    },
    gateway: {
      merchantId: providerApis['bank-gateway']?.login ?? '',
      password: secret('bank-gateway-password'),
      webhookUrl: webhookUrlOf(services, 'bank-gateway', accountId),
      webhookSecret: secret('bank-gateway-secret'),
    },
  };
}
