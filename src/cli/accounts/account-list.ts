/** `account list`: prints every account with its settings, without secrets. */
import { listAccounts } from '../../store/accounts/accounts.ts';
import { defineCommand } from '../framework/command.ts';
import { accountView } from './account-view.ts';

export const accountList = defineCommand({
  name: ['account', 'list'],
  summary: 'Print all accounts and their settings.',
  description: 'Prints every account with its settings, oldest first, without secrets.',
  examples: ['account list', 'account list --json'],
  prepare: () => ({
    run: async ({ database }) => ({
      accounts: (await listAccounts(database)).map((account) => ({
        ...accountView(account),
        created_at: account.createdAt.toISOString(),
        suspended_at: account.suspendedAt?.toISOString() ?? null,
      })),
    }),
  }),
});
