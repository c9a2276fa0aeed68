/** `review list` and `resolve`, and `inbox resolve`: what an operator looks at and closes, with a note that says why. */
import { commandLine } from '../../domain/audit.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import { listReview, type ReviewEntry } from '../../use-cases/review/list-review.ts';
import { resolveOld, resolveReview } from '../../use-cases/review/resolve-review.ts';
import {
  type ArgumentSpec,
  defineCommand,
  type OptionSpecs,
  RefusedError,
  UsageError,
} from '../framework/command.ts';
import { accountOption, checkAccount, readDuration } from '../framework/common-options.ts';
import { defineList } from '../framework/list.ts';
import { ageOf, type Column } from '../framework/table.ts';

function reviewView(entry: ReviewEntry) {
  const { id, kind, accountId, orderId, transactionId, reason, advice, since, dispute } = entry;
  const { amount, currency = null, respondBy = null } = dispute ?? {};
  const claimed =
    amount == null || currency === null ? null : majorNumber(amount, displayExponent(currency));
  const about = { id, kind, accountId, orderId, transactionId, reason, advice, since };
  return dispute ? { ...about, amount: claimed, currency, respondBy } : about;
}

const columns: ReadonlyArray<Column<ReturnType<typeof reviewView>>> = [
  { title: 'OPEN', text: (entry, screen) => ageOf(entry.since, screen), isRight: true },
  { title: 'REASON', text: reasonOf, widthMax: 26, style: () => 'yellow' },
  { title: 'ID', text: ({ id }) => id },
  { title: 'ADVICE', text: ({ advice }) => advice },
];

/** The deadline of a dispute is what matters about it. */
function reasonOf(entry: ReturnType<typeof reviewView>): string {
  if (!('respondBy' in entry) || entry.respondBy === null) return entry.reason;
  return `${entry.reason}, by ${entry.respondBy.toISOString().slice(0, 10)}`;
}

export const reviewList = defineList({
  name: ['review', 'list'],
  summary: 'List what a person has to look at.',
  description:
    'Lists every open item: disputes that wait for an answer, deliveries that need a review, flags of orders and transactions, and dead deliveries. Each has an id for "review resolve", the reason, and an advice. A dispute has its amount and its deadline, and closes by itself.',
  options: { after: { value: 'NEXT', text: 'Continue at the "next" of the last page.' } },
  since: 'Only items that are open since then.',
  examples: ['review list', 'review list --account acc_… --since 7d'],
  rows: 'review',
  columns,
  prepare: () => async (services, page) => {
    const found = await listReview(services, page);
    if (!found) throw new UsageError('--after must be the "next" of a page.');
    const oldestFirst = found.entries.toSorted((a, b) => a.since.getTime() - b.since.getTime());
    return { rows: oldestFirst.map(reviewView), next: found.next };
  },
});

const noteOption = {
  note: {
    value: 'TEXT',
    text: 'Why it is resolved, 1 to 1,024 characters. It is stored in the audit log.',
    isRequired: true,
  },
} as const satisfies OptionSpecs;

const idArgument = {
  name: 'ID',
  phrase: 'the id of a delivery or a flag',
  text: 'The delivery or flag, as "review list" prints it.',
} as const satisfies ArgumentSpec;

export const reviewResolve = defineCommand({
  name: ['review', 'resolve'],
  summary: 'Close a delivery or a flag with a note.',
  description: 'Closes a delivery or a flag, so that it is no longer listed.',
  arguments: [idArgument],
  options: noteOption,
  examples: [
    'review resolve acc_…/o_…:over_refunded --note "settled with the bank"',
    'review resolve dlv_… --note "payment of another shop"',
  ],
  run: (services, { values: { note }, positionals: [id = ''] }) => resolveOne(services, id, note),
});

export const inboxResolve = defineCommand({
  name: ['inbox', 'resolve'],
  summary: 'Close a delivery, or old ones of a state, with a note.',
  description:
    'Closes one delivery or flag by its id. With --state it closes all deliveries that have been in this state for longer than --older-than.',
  arguments: [{ ...idArgument, isOptional: true }],
  options: {
    state: { value: 'STATE', text: 'The state: dead or needs_review.' },
    'older-than': {
      value: 'DURATION',
      text: 'The least time in that state, such as 12h or 7d. Needed with --state.',
    },
    ...accountOption,
    ...noteOption,
  },
  examples: [
    'inbox resolve dlv_… --note "payment of another shop"',
    'inbox resolve --state dead --older-than 7d --note "other shops"',
  ],
  read: ({ values: { state, 'older-than': age, account: accountId, note }, positionals: [id] }) => {
    if (id !== undefined && state === undefined && age === undefined && accountId === undefined) {
      return { kind: 'one', id, note } as const;
    }
    if (id !== undefined || state === undefined) {
      throw new UsageError('Give the id of a delivery or a flag, or --state and --older-than.');
    }
    if (state !== 'dead' && state !== 'needs_review') {
      throw new UsageError('--state must be dead or needs_review.');
    }
    // Required, so that nobody resolves by mistake what has just arrived.
    if (age === undefined) throw new UsageError('Say since when with --older-than, such as 7d.');
    const ageSeconds = readDuration('--older-than', age);
    return { kind: 'many', state, ageSeconds, accountId, note } as const;
  },
  run: async (services, given) => {
    if (given.kind === 'one') return resolveOne(services, given.id, given.note);
    const { state, ageSeconds, accountId, note } = given;
    await checkAccount(services, accountId);
    const before = addSeconds(services.clock(), -ageSeconds);
    const request = { state, before, accountId, note, actor: commandLine };
    const outcome = await resolveOld(services, request);
    if ('refusal' in outcome) throw new RefusedError(outcome.refusal);
    return { state, olderThan: before, note: outcome.note, resolved: outcome.resolved };
  },
});

async function resolveOne(services: Services, id: string, note: string) {
  const resolved = await resolveReview(services, { id, note, actor: commandLine });
  if ('refusal' in resolved) throw new RefusedError(resolved.refusal);
  return {
    id,
    kind: resolved.kind,
    resolvedAt: resolved.at,
    note: resolved.note,
    resolvedDeliveries: resolved.deliveryIds,
  };
}
