/** `account suspend` and `account resume`: stop and restart serving the calls of an account. Contract 2.8. */

import type { Services } from '../services/services.ts';
import {
  resumeAccount,
  type Suspension,
  suspendAccount,
} from '../use-cases/accounts/suspend-account.ts';
import { type Command, jsonOption, readWords } from './command.ts';

export const accountSuspend = commandOf('suspend', suspendAccount);
export const accountResume = commandOf('resume', resumeAccount);

function commandOf(
  verb: string,
  change: (services: Services, accountId: string) => Promise<Suspension>,
): Command {
  return {
    name: ['account', verb],
    usage: `account ${verb} ID [--json]`,
    parse: (words) => {
      const { values, positionals } = readWords(words, jsonOption, ['an account id']);
      const [accountId = ''] = positionals;
      return {
        json: values.json,
        run: async (services) => {
          const { suspendedAt } = await change(services, accountId);
          return { account_id: accountId, suspended_at: suspendedAt?.toISOString() ?? null };
        },
      };
    },
  };
}
