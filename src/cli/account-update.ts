/** `account update`: changes the settings that are named and leaves the others. */
import { accountDefaults } from '../domain/account.ts';
import { updateAccount } from '../use-cases/update-account.ts';
import { accountOptions, accountOptionsUsage, readSettings } from './account-options.ts';
import { accountView } from './account-view.ts';
import { type Command, readWords } from './command.ts';
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
      run: async (services) =>
        accountView(
          await updateAccount(
            services,
            accountId,
            (account) => readSettings(values, account),
            apiSecrets,
          ),
        ),
    };
  },
};
