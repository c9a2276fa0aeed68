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
  prepare: ({ values }) => ({
    run: async (services) => {
      const reset = await resetUser(services, commandLine, values.email);
      return {
        user_id: reset.userId,
        email: reset.email,
        ended_sessions: reset.endedSessions,
        link: reset.link,
        expires_at: reset.expiresAt.toISOString(),
      };
    },
    advise: adviseOnLink,
  }),
});
