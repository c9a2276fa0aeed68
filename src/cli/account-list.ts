/** `account list`: prints every account with its settings, without secrets. */
import { listAccounts } from '../store/accounts.ts';
import { accountView } from './account-view.ts';
import { type Command, jsonOption, readWords } from './command.ts';

export const accountList: Command = {
  name: ['account', 'list'],
  usage: 'account list [--json]',
  parse: (words) => {
    const { values } = readWords(words, jsonOption);
    return {
      json: values.json,
      run: async ({ database }) => ({
        accounts: (await listAccounts(database)).map((account) => ({
          ...accountView(account),
          created_at: account.createdAt.toISOString(),
          suspended_at: account.suspendedAt?.toISOString() ?? null,
        })),
      }),
    };
  },
};
