/** `user reset`: ends what a user signs in with, and prints a one-time link for new credentials. Contract 13.2. */
import { commandLine } from '../../domain/audit.ts';
import { resetUser } from '../../use-cases/users/reset-user.ts';
import { defineCommand } from '../framework/command.ts';
import { adviseOnLink, emailOption } from './user-invite.ts';

export const userReset = defineCommand({
  name: ['user', 'reset'],
  summary: 'End the sessions and credentials of a user.',
  description:
    'Ends all sessions of a user, deletes the password and the passkeys, and prints a link with which the user sets new ones. It works once, for 24 hours. The accounts and roles of the user stay.',
  options: emailOption,
  examples: ['user reset --email asha@example.com'],
  run: async (services, { values }) => {
    const reset = await resetUser(services, commandLine, values.email);
    const { userId, email, endedSessions, link, expiresAt } = reset;
    return { userId, email, endedSessions, link, expiresAt };
  },
  advise: adviseOnLink,
});
