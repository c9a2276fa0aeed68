/** `account update`: changes the given settings and leaves the others. */
import { accountDefaults } from '../../domain/accounts/account.ts';
import { commandLine } from '../../domain/audit.ts';
import { providers } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import type { StoredAccount } from '../../store/accounts/accounts.ts';
import {
  newSimulatorSecrets,
  simulatedApis,
  simulatorWarning,
} from '../../use-cases/accounts/create-account.ts';
import { updateAccount } from '../../use-cases/accounts/update-account.ts';
import { defineCommand, RefusedError } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';
import { accountFlags, accountView, readSettings, updateOptions } from './account-options.ts';
import { readLogo } from './branding-options.ts';
import { exampleOfKeys, readApiSecrets } from './provider-options.ts';

/** Stands for the account while the options are validated, before the database is opened. */
const anyAccount = {
  ...accountDefaults,
  providerApis: Object.fromEntries(
    providers.map(({ name }) => [name, { url: 'https://any', login: 'any' }]),
  ),
};

export const accountUpdate = defineCommand({
  name: ['account', 'update'],
  summary: 'Change settings of an account.',
  description:
    'Changes the settings that are given, leaves the others, and prints all of them. A running service uses them within a second.',
  arguments: [accountArgument],
  options: updateOptions,
  examples: [
    'account update acc_… --requests-per-second 50',
    'account update acc_… --alternate-currency USD:INR:83.25',
    "account update acc_… --colour '#0a7cff' --logo logo.png --support-email help@shop.example",
    ...providers.map((provider) => `account update acc_… ${exampleOfKeys(provider)} < secret.txt`),
  ],
  read: ({ values, positionals: [accountId = ''] }) => {
    const flags = accountFlags(values);
    readSettings(flags, anyAccount);
    const apiSecrets = readApiSecrets(flags.providers);
    return { accountId, flags, apiSecrets, logo: readLogo(flags) };
  },
  run: async (services, { accountId, flags, apiSecrets, logo }, { warn }) => {
    const { simulator = false } = flags;
    const change = (account: StoredAccount) => {
      const providerApis = simulator ? atTheSimulator(services, account) : account.providerApis;
      return { providerApis, ...readSettings(flags, { ...account, providerApis }) };
    };
    const changed = await updateAccount(services, accountId, change, commandLine, {
      apiSecrets: simulator ? { ...newSimulatorSecrets(), ...apiSecrets } : apiSecrets,
      logo,
    });
    if (simulator) warn(simulatorWarning(services));
    return accountView(changed);
  },
});

/** Refused for an account of a real provider: the service would poll the simulator about real payments. */
function atTheSimulator(services: Services, account: StoredAccount) {
  const { simulatorUrl } = services.settings;
  if (Object.values(account.providerApis).some(({ url }) => url !== simulatorUrl)) {
    throw new RefusedError(
      '--simulator is for accounts without keys of a real provider: create another account for trials.',
    );
  }
  return simulatedApis(services, account.accountId, account);
}
