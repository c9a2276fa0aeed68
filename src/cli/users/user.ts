/** `user invite`, `list`, `remove` and `reset`: who may sign in to the dashboard. Contract 13.2. */
import { commandLine } from '../../domain/audit.ts';
import { readUserEmail } from '../../domain/users/email.ts';
import { roles } from '../../domain/users/role.ts';
import { listAllMembers, listMembers, type Member } from '../../store/users/memberships.ts';
import { changeRole } from '../../use-cases/users/change-member.ts';
import { inviteUser, resetUser } from '../../use-cases/users/invite-user.ts';
import { defineCommand, type OptionSpecs, RefusedError } from '../framework/command.ts';
import { accountArgument, accountOption, checkAccount } from '../framework/common-options.ts';
import { type Column, renderTable } from '../framework/table.ts';

const emailOption = {
  email: { value: 'ADDRESS', text: 'The e-mail address of the person.', isRequired: true },
} as const satisfies OptionSpecs;

function adviseOnLink(): string[] {
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

export const userList = defineCommand({
  name: ['user', 'list'],
  summary: 'Print the users of the dashboard.',
  description: 'Prints a row for each user and account, with the role and the last use.',
  options: accountOption,
  examples: ['user list', 'user list --account acc_…'],
  run: async ({ database, accounts }, { values: { account } }) => {
    await checkAccount({ accounts }, account);
    const members = await (account === undefined
      ? listAllMembers(database)
      : listMembers(database, account));
    return { users: members.map(userView) };
  },
  render: ({ users }, screen) => renderTable(users, columns, screen),
});

function userView(member: Member) {
  const { userId, email, accountId, role, hasPassword, passkeys, joinedAt, lastSeenAt } = member;
  const use = { password: hasPassword, passkeys, joinedAt, lastSeenAt };
  return { userId, email, accountId, role, ...use };
}

const columns: ReadonlyArray<Column<ReturnType<typeof userView>>> = [
  { title: 'EMAIL', text: ({ email }) => email, widthMax: 50 },
  { title: 'ROLE', text: ({ role }) => role },
  { title: 'ACCOUNT', text: ({ accountId }) => accountId },
  { title: 'LAST SEEN', text: ({ lastSeenAt }) => lastSeenAt?.toISOString() },
  { title: 'USER', text: ({ userId }) => userId },
];

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
    await changeRole(services, commandLine, { accountId, userId }, null);
    return { accountId, userId, email, removed: true };
  },
});

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
