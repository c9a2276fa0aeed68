/** `account update`: changes the settings that are named and leaves the others. */
import { type AccountSettings, accountDefaults } from '../domain/accounts/account.ts';
import type { Services } from '../services/services.ts';
import type { StoredAccount } from '../store/accounts.ts';
import {
  newSimulatorSecrets,
  simulatedApis,
  simulatorWarning,
} from '../use-cases/accounts/create-account.ts';
import { updateAccount } from '../use-cases/accounts/update-account.ts';
import { accountOptions, accountOptionsUsage, readSettings } from './account-options.ts';
import { accountView } from './account-view.ts';
import { type Command, readWords, UsageError } from './command.ts';
import { readApiSecrets } from './provider-options.ts';

/** Words are judged before there is an account to hold them against. */
const anyAccount = {
  ...accountDefaults,
  bankGatewayMerchant: 'any',
  providerApis: { partner: { url: 'https://any', login: 'any' } },
};

export const accountUpdate: Command = {
  name: ['account', 'update'],
  usage: `account update ID [--name NAME] ${accountOptionsUsage}`,
  parse: (words) => {
    const { values, positionals } = readWords(words, accountOptions, ['an account id']);
    const [accountId = ''] = positionals;
    readSettings(values, anyAccount);
    const apiSecrets = readApiSecrets(values);
    return {
      json: values.json,
      run: async (services) => {
        const { simulator = false } = values;
        const change = (account: StoredAccount) => {
          const providerApis = simulator ? atTheSimulator(services, account) : account.providerApis;
          return { providerApis, ...readSettings(values, { ...account, providerApis }) };
        };
        const secrets = simulator ? { ...newSimulatorSecrets(), ...apiSecrets } : apiSecrets;
        const changed = accountView(await updateAccount(services, accountId, change, secrets));
        if (simulator) console.error(simulatorWarning(services));
        return changed;
      },
    };
  },
};

/** Payments that were made at a real provider would be looked for at the simulator. */
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
