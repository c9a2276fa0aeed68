/** `inbox list`, `show` and `replay`: the deliveries of the providers. */
import { commandLine } from '../../domain/audit.ts';
import { findAccountIdOfDelivery } from '../../domain/ids.ts';
import { type Delivery, deliveryStates } from '../../domain/inbox/delivery.ts';
import { findDelivery, walkDeliveryIds } from '../../store/inbox/deliveries.ts';
import type { DescribedDelivery } from '../../use-cases/inbox/describe-contents.ts';
import { listDeliveries } from '../../use-cases/inbox/list-deliveries.ts';
import { replayDelivery } from '../../use-cases/inbox/replay-delivery.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { choiceOption, deliveryArgument } from '../framework/common-options.ts';
import { defineList, listScope } from '../framework/list.ts';
import { ageOf, amountNumber, amountText, type Column, styleOfStatus } from '../framework/table.ts';

function deliveryView(delivery: Omit<Delivery, 'headers' | 'body'>) {
  return {
    deliveryId: delivery.deliveryId,
    accountId: delivery.accountId,
    provider: delivery.provider,
    state: delivery.state,
    why: delivery.why,
    flags: delivery.flags,
    orderId: delivery.orderId,
    tries: delivery.tries,
    nextTryAt: delivery.nextTryAt,
    receivedAt: delivery.receivedAt,
    finishedAt: delivery.finishedAt,
  };
}

export function describedView(delivery: DescribedDelivery) {
  return {
    ...deliveryView(delivery),
    event: delivery.event,
    amount: amountNumber(delivery.amount, delivery.currency),
    currency: delivery.currency,
  };
}

export const deliveryColumns: ReadonlyArray<Column<ReturnType<typeof describedView>>> = [
  { title: 'DELIVERY', text: ({ deliveryId }) => deliveryId },
  { title: 'STATE', text: ({ state }) => state, style: ({ state }) => styleOfStatus(state) },
  { title: 'EVENT', text: ({ event }) => event, widthMax: 30 },
  { title: 'AMOUNT', text: ({ amount, currency }) => amountText(amount, currency), isRight: true },
  { title: 'AGE', text: ({ receivedAt }, screen) => ageOf(receivedAt, screen), isRight: true },
  { title: 'ORDER', text: ({ orderId }) => orderId },
  { title: 'PROVIDER', text: ({ provider }) => provider },
  { title: 'FLAGS', text: ({ flags }) => flags.join(','), widthMax: 24, style: () => 'yellow' },
  { title: 'WHY', text: ({ why }) => why },
];

const stateOption = {
  state: choiceOption('STATE', 'Only deliveries of this state', deliveryStates),
};

export const inboxList = defineList({
  name: ['inbox', 'list'],
  summary: 'List the newest deliveries.',
  description:
    'Lists deliveries of the providers, newest first, one line each. The event and the amount come from the stored body; a dash means that it was pruned or does not say. A page looks at 20,000 deliveries at most.',
  options: stateOption,
  since: 'Only deliveries received since then.',
  examples: ['inbox list --state parked', 'inbox list --account acc_… --since 24h --limit 20'],
  rows: 'deliveries',
  columns: deliveryColumns,
  prepare: ({ state, after: afterText }) => {
    if (afterText !== undefined) readAccountId(afterText);
    return async (services, page) => {
      const query = { ...page, filter: { state, since: page.since } };
      const scope = await listScope(services, page);
      const { deliveries, next } = await listDeliveries(services, scope, query);
      return { rows: deliveries.map(describedView), next: next?.deliveryId };
    };
  },
});

export const inboxShow = defineCommand({
  name: ['inbox', 'show'],
  summary: 'Print one delivery with its body.',
  description:
    'Prints one delivery with its state, and with its headers and body as received unless they were pruned. The body may hold personal data.',
  arguments: [deliveryArgument],
  examples: ['inbox show dlv_…'],
  read: ({ positionals: [deliveryId = ''] }) => ({
    deliveryId,
    accountId: readAccountId(deliveryId),
  }),
  run: async ({ database }, { deliveryId, accountId }) => {
    const delivery = await findDelivery(database, accountId, deliveryId);
    if (!delivery) throw new RefusedError(`There is no delivery ${deliveryId}.`);
    const prunedNote =
      delivery.state === 'expired'
        ? '(pruned when the delivery expired)'
        : '(pruned by age, see INBOX_BODY_DAYS)';
    return {
      ...deliveryView(delivery),
      deliveryKey: delivery.deliveryKey,
      eventId: delivery.eventId,
      headers: delivery.headers ? JSON.stringify(delivery.headers) : prunedNote,
      body: delivery.body?.toString('utf8') ?? prunedNote,
      bodyPruned: delivery.body === null,
    };
  },
});

function readAccountId(deliveryId: string): string {
  const accountId = findAccountIdOfDelivery(deliveryId);
  if (accountId === undefined) throw new UsageError(`"${deliveryId}" is not a delivery id.`);
  return accountId;
}

export const inboxReplay = defineCommand({
  name: ['inbox', 'replay'],
  summary: 'Apply a delivery again, or all of a state.',
  description:
    'Applies a delivery again, or with --state all deliveries of a state. A delivery that was applied changes nothing the second time.',
  arguments: [{ ...deliveryArgument, isOptional: true }],
  options: stateOption,
  examples: ['inbox replay dlv_…', 'inbox replay --state dead'],
  read: ({ values: { state }, positionals: [deliveryId] }) => {
    if ((deliveryId === undefined) === (state === undefined)) {
      throw new UsageError('Give a delivery id, or the state of deliveries with --state STATE.');
    }
    const one = deliveryId !== undefined && { accountId: readAccountId(deliveryId), deliveryId };
    return { one, state };
  },
  run: async (services, { one, state }) => {
    const ofState = state ? walkDeliveryIds(services.database, state) : [];
    const replayed = [];
    const pruned = [];
    for await (const key of one ? [one] : ofState) {
      // A delivery that fails again is printed in its stored state and does not stop the others.
      const outcome = await replayDelivery(services, commandLine, key);
      if (!outcome) throw new RefusedError(`There is no delivery ${key.deliveryId}.`);
      if (outcome.kind !== 'pruned') replayed.push(deliveryView(outcome.delivery));
      else if (one) throw new RefusedError(outcome.refusal);
      else pruned.push(key.deliveryId);
    }
    return { replayed, ...(pruned.length > 0 && { notReplayedBodyPruned: pruned }) };
  },
});
