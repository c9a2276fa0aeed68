/** `account update`: changes the settings that are named and leaves the others. */
import { updateAccount } from '../use-cases/update-account.ts';
import { accountOptions, accountOptionsUsage, readSettings } from './account-options.ts';
import { accountView } from './account-view.ts';
import { type Command, readWords } from './command.ts';
import { readApiSecrets } from './provider-options.ts';

export const accountUpdate: Command = {
  name: ['account', 'update'],
  usage: `account update ID [--name NAME] ${accountOptionsUsage}`,
  parse: (words) => {
    const { values, positionals } = readWords(words, accountOptions, ['an account id']);
    const [accountId = ''] = positionals;
    readSettings(values);
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
