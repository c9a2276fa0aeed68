/** `user remove`: takes a user out of an account. */
import { commandLine } from '../../domain/audit.ts';
import { readUserEmail } from '../../domain/users/email.ts';
import { listMembers } from '../../store/users/memberships.ts';
import { removeMember } from '../../use-cases/users/change-member.ts';
import { defineCommand, RefusedError } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';
import { emailOption } from './user-invite.ts';

export const userRemove = defineCommand({
  name: ['user', 'remove'],
  summary: 'Take a user out of an account.',
  description:
    'Takes a user out of an account, at once and in every session. A user of no other account is deleted with password, passkeys and sessions. The only owner of an account cannot be removed: invite another one first.',
  arguments: [accountArgument],
  options: emailOption,
  examples: ['user remove acc_… --email asha@example.com'],
  prepare: ({ values, positionals: [accountId = ''] }) => ({
    run: async (services) => {
      const email = readUserEmail(values.email);
      const members = await listMembers(services.database, accountId);
      const member = members.find((entry) => entry.email === email);
      if (!member) throw new RefusedError(`Account ${accountId} has no user with this address.`);
      const { userId } = member;
      await removeMember(services, commandLine, { accountId, userId });
      return { account_id: accountId, user_id: userId, email, removed: true };
    },
  }),
});
