/** `user invite`: prints a one-time link with which a person joins an account. Contract 13.2. */
import { commandLine } from '../../domain/audit.ts';
import { roles } from '../../domain/users/role.ts';
import { inviteUser } from '../../use-cases/users/invite-user.ts';
import { defineCommand, type OptionSpecs } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';

export const emailOption = {
  email: { value: 'ADDRESS', text: 'The e-mail address of the person.', isRequired: true },
} as const satisfies OptionSpecs;

export function adviseOnLink(): string[] {
  return ['Whoever has the link can use it: give it to this person only.'];
}

export const userInvite = defineCommand({
  name: ['user', 'invite'],
  summary: 'Print a one-time link to join an account.',
  description:
    'Prints a link with which a person joins an account on the dashboard. It works once, for 24 hours, and replaces earlier links for the same address. A new user sets a password or a passkey; somebody who is a user already signs in.',
  arguments: [accountArgument],
  options: {
    ...emailOption,
    role: {
      value: 'ROLE',
      words: roles,
      text: 'What the person may do: viewer reads; operator also refunds, replays, resends and resolves; owner also sees secrets, changes settings and invites.',
      isRequired: true,
    },
  },
  examples: ['user invite acc_… --email asha@example.com --role operator'],
  run: async (
    services,
    { values: { email: given, role: chosen }, positionals: [accountId = ''] },
  ) => {
    const request = { accountId, email: given, role: chosen };
    const { email, role, link, expiresAt } = await inviteUser(services, commandLine, request);
    return { accountId, email, role, link, expiresAt };
  },
  advise: adviseOnLink,
});
