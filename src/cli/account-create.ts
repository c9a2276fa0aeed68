/** `account create`: creates an account and prints its secrets, which are never shown again. */
import { createAccount, simulatorWarning } from '../use-cases/accounts/create-account.ts';
import { accountOptionsUsage, readAccountWords, readSettings } from './account-options.ts';
import { type Command, UsageError } from './command.ts';
import { readApiSecrets } from './provider-options.ts';
import { printedName } from './render.ts';

export const accountCreate: Command = {
  name: ['account', 'create'],
  usage: `account create --name NAME ${accountOptionsUsage}`,
  parse: (words) => {
    const { flags } = readAccountWords(words);
    const { name } = flags;
    if (name === undefined) throw new UsageError('Give the account a name with --name.');
    const settings = readSettings(flags);
    const apiSecrets = readApiSecrets(flags.providers);
    return {
      json: flags.json,
      run: async (services, config, warn) => {
        // In the embedded mode SIMULATOR_URL makes the simulator the default of new accounts. Contract 11.6.
        const isChosen = config.databaseUrl === undefined && config.simulatorUrl !== undefined;
        const isSimulated = flags.simulator ?? isChosen;
        const requested = { ...settings, name, apiSecrets, isSimulated };
        const account = await createAccount(services, requested);
        if (isSimulated) warn(simulatorWarning(services));
        return {
          account_id: account.accountId,
          name: account.name,
          access_key: account.accessKey,
          access_secret: account.accessSecret,
          ...Object.fromEntries(
            account.webhooks.map(({ secretKind, secret }) => [printedName(secretKind), secret]),
          ),
          ...Object.fromEntries(
            account.webhooks.map(({ provider, url }) => [
              printedName(`${provider}-webhook-url`),
              url,
            ]),
          ),
        };
      },
    };
  },
};
