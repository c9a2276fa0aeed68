/** All commands, their groups, and how words name them. */
import { accountList, accountResume, accountSuspend } from './accounts/account.ts';
import { accountCreate } from './accounts/account-create.ts';
import { accountRotate } from './accounts/account-rotate.ts';
import { accountUpdate } from './accounts/account-update.ts';
import { keysRotate } from './accounts/keys-rotate.ts';
import { consumerErase } from './consumers/consumer-erase.ts';
import { disputeList, disputeShow } from './disputes/dispute.ts';
import {
  endpointCreate,
  endpointDelete,
  endpointDisable,
  endpointEnable,
  endpointList,
  endpointRotate,
  endpointTest,
  endpointUpdate,
} from './events/endpoint.ts';
import { eventList, eventResend, eventShow } from './events/event.ts';
import { type Command, UsageError } from './framework/command.ts';
import type { Group } from './framework/help.ts';
import { findClosest } from './framework/read-words.ts';
import { inboxList, inboxReplay, inboxShow } from './inbox/inbox.ts';
import { inboxResolve, reviewList, reviewResolve } from './inbox/review.ts';
import { linkCancel, linkCreate } from './orders/link.ts';
import { orderList } from './orders/order-list.ts';
import { orderShow } from './orders/order-show.ts';
import { orderWhy } from './orders/order-why.ts';
import { paymentCapture, paymentVoid } from './orders/payment.ts';
import { transactionList } from './orders/transaction.ts';
import { figuresRebuild } from './reports/figures-rebuild.ts';
import { orderRebuild } from './upkeep/order-rebuild.ts';
import { clusterDistribute, migrate } from './upkeep/schema.ts';
import { verify } from './upkeep/verify.ts';
import { userInvite, userList, userRemove, userReset } from './users/user.ts';

export const groups: readonly Group[] = [
  {
    name: 'account',
    summary: 'Accounts of merchants and their settings',
    commands: [
      accountCreate,
      accountList,
      accountUpdate,
      accountRotate,
      accountSuspend,
      accountResume,
    ],
  },
  {
    name: 'user',
    summary: 'Users of the dashboard',
    commands: [userInvite, userList, userRemove, userReset],
  },
  { name: 'order', summary: 'Orders', commands: [orderList, orderShow, orderWhy, orderRebuild] },
  { name: 'link', summary: 'Links to pay an order', commands: [linkCreate, linkCancel] },
  { name: 'transaction', summary: 'Payments and refunds', commands: [transactionList] },
  { name: 'dispute', summary: 'Disputes of payments', commands: [disputeList, disputeShow] },
  {
    name: 'payment',
    summary: 'Captures and voids of authorised payments',
    commands: [paymentCapture, paymentVoid],
  },
  {
    name: 'inbox',
    summary: 'Deliveries of the providers',
    commands: [inboxList, inboxShow, inboxReplay, inboxResolve],
  },
  {
    name: 'endpoint',
    summary: 'URLs of shops that events are sent to',
    commands: [
      endpointCreate,
      endpointList,
      endpointUpdate,
      endpointRotate,
      endpointEnable,
      endpointDisable,
      endpointDelete,
      endpointTest,
    ],
  },
  { name: 'event', summary: 'Webhooks to shops', commands: [eventList, eventShow, eventResend] },
  {
    name: 'review',
    summary: 'What a person has to look at',
    commands: [reviewList, reviewResolve],
  },
  { name: 'consumer', summary: 'Personal data of consumers', commands: [consumerErase] },
  { name: 'figures', summary: 'Figures of the dashboard', commands: [figuresRebuild] },
  { name: 'keys', summary: 'Keys of the service', commands: [keysRotate] },
  { name: 'migrate', summary: 'Schema of the database', commands: [migrate] },
  { name: 'cluster', summary: 'Clusters of several database nodes', commands: [clusterDistribute] },
  { name: 'verify', summary: 'Checks of the database', commands: [verify] },
];

export const commands = groups.flatMap((group) => group.commands);

export function findCommand(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.every((word, index) => words[index] === word));
}

/** Several commands begin with this word, and none consists of it. */
export function findGroup(word: string | undefined): Group | undefined {
  return groups.find(({ name }) => name === word && !findCommand([name]));
}

/** For words that begin no command. Within a group only the second word can be wrong. */
export function unknownCommand(words: readonly string[]): UsageError {
  const firstOption = words.findIndex((word) => word.startsWith('-'));
  const [first, second] = words.slice(0, firstOption < 0 ? 2 : Math.min(firstOption, 2));
  if (first === undefined) return new UsageError('Give a command.');
  const group = findGroup(first);
  const verbs = group?.commands.flatMap(({ name }) => name.slice(1));
  if (group && verbs && second === undefined) {
    const message = `"${first}" is a group of commands: add one of ${verbs.join(', ')}.`;
    return new UsageError(message, group.name);
  }
  const given = second === undefined ? first : `${first} ${second}`;
  const known = second === undefined ? groups.map(({ name }) => name) : commands.map(fullName);
  const closest = verbs ? findClosest(second ?? '', verbs) : findClosest(given, known);
  const unknown = `There is no command "${given}"`;
  if (closest === undefined) return new UsageError(`${unknown}.`, group?.name);
  const meant = group ? `${group.name} ${closest}` : closest;
  return new UsageError(`${unknown}: did you mean "${meant}"?`, group?.name);
}

function fullName({ name }: Command): string {
  return name.join(' ');
}
