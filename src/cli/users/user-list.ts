/** `user list`: prints who belongs to which account. */
import { listAllMembers, listMembers, type Member } from '../../store/users/memberships.ts';
import { defineCommand } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';
import { type Column, renderTable } from '../framework/table.ts';

export const userList = defineCommand({
  name: ['user', 'list'],
  summary: 'Print the users of the dashboard.',
  description: 'Prints a row for each user and account, with the role and the last use.',
  options: accountOption,
  examples: ['user list', 'user list --account acc_…'],
  run: async ({ database, accounts }, { values: { account } }) => {
    await checkAccount({ accounts }, account);
    const members =
      account === undefined ? listAllMembers(database) : listMembers(database, account);
    return { users: (await members).map(userView) };
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
