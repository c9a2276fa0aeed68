/** `account list`, `suspend` and `resume`: all accounts, without secrets, and which of them are served. Contract 2.8. */
import { commandLine } from '../../domain/audit.ts';
import { listAccounts } from '../../store/accounts/accounts.ts';
import { resumeAccount, suspendAccount } from '../../use-cases/accounts/suspend-account.ts';
import { type Command, defineCommand } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';
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

export const accountSuspend = commandOf('suspend', suspendAccount, {
  summary: 'Refuse the calls of an account.',
  description:
    'Answers every call with a token of the account 403 ACCOUNT_SUSPENDED from now on. Webhooks of the providers are still stored and applied, so nothing is lost.',
});

export const accountResume = commandOf('resume', resumeAccount, {
  summary: 'Serve the calls of a suspended account again.',
  description: 'Ends what "account suspend" began.',
});

function commandOf(
  verb: string,
  change: typeof suspendAccount,
  texts: Pick<Command, 'summary' | 'description'>,
): Command {
  return defineCommand({
    name: ['account', verb],
    ...texts,
    arguments: [accountArgument],
    examples: [`account ${verb} acc_…`],
    run: async (services, { positionals: [accountId = ''] }) => {
      const { suspendedAt } = await change(services, accountId, commandLine);
      return { accountId, suspendedAt };
    },
  });
}
