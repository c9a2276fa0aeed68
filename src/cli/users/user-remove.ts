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
  run: async (services, { values, positionals: [accountId = ''] }) => {
    const email = readUserEmail(values.email);
    const members = await listMembers(services.database, accountId);
    const userId = members.find((entry) => entry.email === email)?.userId;
    if (!userId) throw new RefusedError(`Account ${accountId} has no user with this address.`);
    await removeMember(services, commandLine, { accountId, userId });
    return { accountId, userId, email, removed: true };
  },
});
