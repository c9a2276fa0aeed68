/** `user list`: prints who belongs to which account. */
import { listAllMembers, listMembers, type Member } from '../../store/users/memberships.ts';
import { defineCommand } from '../framework/command.ts';
import { accountOption, checkAccount } from '../framework/common-options.ts';
import { renderList } from '../framework/list.ts';
import type { Column } from '../framework/table.ts';

export const userList = defineCommand({
  name: ['user', 'list'],
  summary: 'Print the users of the dashboard.',
  description: 'Prints a row for each user and account, with the role and the last use.',
  options: accountOption,
  examples: ['user list', 'user list --account acc_…'],
  prepare: ({ values: { account } }) => ({
    run: async ({ database, accounts }) => {
      if (account === undefined) return { users: (await listAllMembers(database)).map(userView) };
      await checkAccount({ accounts }, account);
      return { users: (await listMembers(database, account)).map(userView) };
    },
    render: (outcome, screen) =>
      renderList((outcome as { users: UserView[] }).users, columns, undefined, screen),
  }),
});

type UserView = ReturnType<typeof userView>;

function userView(member: Member) {
  return {
    user_id: member.userId,
    email: member.email,
    account_id: member.accountId,
    role: member.role,
    password: member.hasPassword,
    passkeys: member.passkeys,
    joined_at: member.joinedAt.toISOString(),
    last_seen_at: member.lastSeenAt?.toISOString() ?? null,
  };
}

const columns: ReadonlyArray<Column<UserView>> = [
  { title: 'EMAIL', text: ({ email }) => email, widthMax: 50 },
  { title: 'ROLE', text: ({ role }) => role },
  { title: 'ACCOUNT', text: (shown) => shown.account_id },
  { title: 'LAST SEEN', text: (shown) => shown.last_seen_at },
  { title: 'USER', text: (shown) => shown.user_id },
];
