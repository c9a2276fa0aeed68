/** `account list`: prints every account with its settings, without secrets. */
import { listAccounts } from '../../store/accounts/accounts.ts';
import { defineCommand } from '../framework/command.ts';
import { accountView } from './account-options.ts';

export const accountList = defineCommand({
  name: ['account', 'list'],
  summary: 'Print all accounts and their settings.',
  description: 'Prints every account with its settings, oldest first, without secrets.',
  examples: ['account list', 'account list --json'],
  run: async ({ database }) => ({
    accounts: (await listAccounts(database)).map((account) => ({
      ...accountView(account),
      createdAt: account.createdAt,
      suspendedAt: account.suspendedAt ?? null,
    })),
  }),
});
