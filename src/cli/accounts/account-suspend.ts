/** `account suspend` and `account resume`: stop and restart serving the calls of an account. Contract 2.8. */
import { commandLine } from '../../domain/audit.ts';
import { resumeAccount, suspendAccount } from '../../use-cases/accounts/suspend-account.ts';
import { type Command, defineCommand } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';

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
