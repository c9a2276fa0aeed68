/** `account update`: changes the given settings and leaves the others. */
import { type AccountSettings, accountDefaults } from '../domain/accounts/account.ts';
import { providers } from '../providers/providers.ts';
import type { Services } from '../services/services.ts';
import type { StoredAccount } from '../store/accounts.ts';
import {
  newSimulatorSecrets,
  simulatedApis,
  simulatorWarning,
} from '../use-cases/accounts/create-account.ts';
import { updateAccount } from '../use-cases/accounts/update-account.ts';
import { accountOptionsUsage, readAccountWords, readSettings } from './account-options.ts';
import { accountView } from './account-view.ts';
import { type Command, UsageError } from './command.ts';
import { readApiSecrets } from './provider-options.ts';

/** Stands for the account while the options are validated, before the database is opened. */
const anyAccount = {
  ...accountDefaults,
  providerApis: Object.fromEntries(
    providers.map(({ name }) => [name, { url: 'https://any', login: 'any' }]),
  ),
};

export const accountUpdate: Command = {
  name: ['account', 'update'],
  usage: `account update ID [--name NAME] ${accountOptionsUsage}`,
  parse: (words) => {
    const { flags, positionals } = readAccountWords(words, ['an account id']);
    const [accountId = ''] = positionals;
    readSettings(flags, anyAccount);
    const apiSecrets = readApiSecrets(flags.providers);
    return {
      json: flags.json,
      run: async (services, _config, warn) => {
        const { simulator = false } = flags;
        const change = (account: StoredAccount) => {
          const providerApis = simulator ? atTheSimulator(services, account) : account.providerApis;
          return { providerApis, ...readSettings(flags, { ...account, providerApis }) };
        };
        const secrets = simulator ? { ...newSimulatorSecrets(), ...apiSecrets } : apiSecrets;
        const changed = accountView(await updateAccount(services, accountId, change, secrets));
        if (simulator) warn(simulatorWarning(services));
        return changed;
      },
    };
  },
};

/** Refused for an account of a real provider: the service would poll the simulator about real payments. */
function atTheSimulator(
  services: Services,
  account: StoredAccount,
): AccountSettings['providerApis'] {
  const { simulatorUrl } = services.settings;
  if (Object.values(account.providerApis).some(({ url }) => url !== simulatorUrl)) {
    throw new UsageError(
      '--simulator is for accounts without keys of a real provider: create another account for trials.',
    );
  }
  return simulatedApis(services, account.accountId, account);
}
