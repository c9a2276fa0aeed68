/** All commands, their groups, and how words name them. */
import { accountCreate } from './accounts/account-create.ts';
import { accountList } from './accounts/account-list.ts';
import { accountRotate } from './accounts/account-rotate.ts';
import { accountResume, accountSuspend } from './accounts/account-suspend.ts';
import { accountUpdate } from './accounts/account-update.ts';
import { keysRotate } from './accounts/keys-rotate.ts';
import { consumerErase } from './consumers/consumer-erase.ts';
import {
  endpointDelete,
  endpointDisable,
  endpointEnable,
  endpointRotate,
  endpointUpdate,
} from './events/endpoint-change.ts';
import { endpointCreate } from './events/endpoint-create.ts';
import { endpointList } from './events/endpoint-list.ts';
import { endpointTest } from './events/endpoint-test.ts';
import { eventList } from './events/event-list.ts';
import { eventResend } from './events/event-resend.ts';
import { eventShow } from './events/event-show.ts';
import type { Command } from './framework/command.ts';
import { UnknownCommandError } from './framework/explain-error.ts';
import type { Group } from './framework/help.ts';
import { findClosest } from './framework/read-words.ts';
import { inboxList } from './inbox/inbox-list.ts';
import { inboxReplay } from './inbox/inbox-replay.ts';
import { inboxShow } from './inbox/inbox-show.ts';
import { reviewList } from './inbox/review-list.ts';
import { inboxResolve, reviewResolve } from './inbox/review-resolve.ts';
import { linkCreate } from './orders/link-create.ts';
import { orderList } from './orders/order-list.ts';
import { orderShow } from './orders/order-show.ts';
import { orderWhy } from './orders/order-why.ts';
import { transactionList } from './orders/transaction-list.ts';
import { figuresRebuild } from './reports/figures-rebuild.ts';
import { clusterDistribute } from './upkeep/cluster-distribute.ts';
import { migrate } from './upkeep/migrate.ts';
import { orderRebuild } from './upkeep/order-rebuild.ts';
import { verify } from './upkeep/verify.ts';
import { userInvite } from './users/user-invite.ts';
import { userList } from './users/user-list.ts';
import { userRemove } from './users/user-remove.ts';
import { userReset } from './users/user-reset.ts';

export const commands: readonly Command[] = [
  accountCreate,
  accountList,
  accountUpdate,
  accountRotate,
  accountSuspend,
  accountResume,
  userInvite,
  userList,
  userRemove,
  userReset,
  orderList,
  orderShow,
  orderWhy,
  orderRebuild,
  linkCreate,
  transactionList,
  inboxList,
  inboxShow,
  inboxReplay,
  inboxResolve,
  endpointCreate,
  endpointList,
  endpointUpdate,
  endpointRotate,
  endpointEnable,
  endpointDisable,
  endpointDelete,
  endpointTest,
  eventList,
  eventShow,
  eventResend,
  reviewList,
  reviewResolve,
  consumerErase,
  figuresRebuild,
  keysRotate,
  migrate,
  clusterDistribute,
  verify,
];

/** By the first word of their commands. */
export const groups: readonly Group[] = [
  { name: 'account', summary: 'Accounts of merchants and their settings' },
  { name: 'user', summary: 'Users of the dashboard' },
  { name: 'order', summary: 'Orders' },
  { name: 'link', summary: 'Links to pay an order' },
  { name: 'transaction', summary: 'Payments and refunds' },
  { name: 'inbox', summary: 'Deliveries of the providers' },
  { name: 'endpoint', summary: 'URLs of shops that events are sent to' },
  { name: 'event', summary: 'Webhooks to shops' },
  { name: 'review', summary: 'What a person has to look at' },
  { name: 'consumer', summary: 'Personal data of consumers' },
  { name: 'figures', summary: 'Figures of the dashboard' },
  { name: 'keys', summary: 'Keys of the service' },
  { name: 'migrate', summary: 'Schema of the database' },
  { name: 'cluster', summary: 'Clusters of several database nodes' },
  { name: 'verify', summary: 'Checks of the database' },
];

export function findCommand(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.every((word, index) => words[index] === word));
}

/** Several commands begin with this word, and none consists of it. */
export function findGroup(word: string | undefined): Group | undefined {
  return groups.find(({ name }) => name === word && !findCommand([name]));
}

export function commandsOf({ name }: Group): Command[] {
  return commands.filter((command) => command.name[0] === name);
}

/** For words that begin no command. */
export function unknownCommand(words: readonly string[]): UnknownCommandError {
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  const [first, second] = words.slice(0, firstOption < 0 ? 2 : Math.min(firstOption, 2));
  if (first === undefined) return new UnknownCommandError('Give a command.', undefined);
  const group = findGroup(first);
  if (!group) return notFound([first, second], candidatesFor(second), undefined);
  const verbs = commandsOf(group).flatMap(({ name }) => name.slice(1));
  if (second !== undefined) return notFound([first, second], verbs, group);
  const message = `"${first}" is a group of commands: add one of ${verbs.join(', ')}.`;
  return new UnknownCommandError(message, group.name);
}

function candidatesFor(second: string | undefined): string[] {
  return second === undefined
    ? groups.map(({ name }) => name)
    : commands.map(({ name }) => name.join(' '));
}

/** Within a group only the second word can be wrong. */
function notFound(
  given: ReadonlyArray<string | undefined>,
  candidates: readonly string[],
  group: Group | undefined,
): UnknownCommandError {
  const words = given.filter((word) => word !== undefined);
  const closest = findClosest((group ? words.slice(1) : words).join(' '), candidates);
  const meant = [...(group ? [group.name] : []), closest].join(' ');
  const unknown = `There is no command "${words.join(' ')}"`;
  const message = closest === undefined ? `${unknown}.` : `${unknown}: did you mean "${meant}"?`;
  return new UnknownCommandError(message, group?.name);
}
