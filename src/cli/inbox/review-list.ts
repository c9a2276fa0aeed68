/** `review list`: prints the deliveries and flags that an operator has to resolve, page by page, each oldest first. */
import { listReview, type ReviewEntry } from '../../use-cases/review/list-review.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import {
  accountOption,
  limitOption,
  readLimit,
  readSince,
  sinceOption,
} from '../framework/page-options.ts';
import { renderList } from '../framework/render-list.ts';
import { ageOf, type Column } from '../framework/table.ts';

export const reviewList = defineCommand({
  name: ['review', 'list'],
  summary: 'List what a person has to look at.',
  description:
    'Lists every open item: deliveries that need a review, flags of orders and transactions, and dead deliveries. Each has an id for "review resolve", the reason, and an advice.',
  options: {
    ...accountOption,
    ...sinceOption('Only items that are open since then.'),
    ...limitOption,
    after: { type: 'string', value: 'NEXT', text: 'Continue at the "next" of the last page.' },
  },
  examples: ['review list', 'review list --account acc_… --since 7d'],
  prepare: ({ values }) => {
    const { account, after } = values;
    const limit = readLimit(values.limit);
    const sinceAt = readSince(values.since);
    return {
      run: async (services) => {
        if (account !== undefined && !(await services.accounts.find(account))) {
          throw new RefusedError(`There is no account ${account}.`);
        }
        const since = sinceAt(services.clock());
        const page = await listReview(services, { accountId: account, after, limit, since });
        if (!page) throw new UsageError('--after must be the "next" of a page.');
        const oldestFirst = page.entries.toSorted((a, b) => a.since.getTime() - b.since.getTime());
        const { next } = page;
        return { review: oldestFirst.map(reviewView), ...(next !== undefined && { next }) };
      },
      render: (outcome, screen) => {
        const { review, next } = outcome as { review: ReviewView[]; next?: string };
        return renderList(review, columns, next, screen);
      },
    };
  },
});

type ReviewView = ReturnType<typeof reviewView>;

function reviewView(entry: ReviewEntry) {
  return {
    id: entry.id,
    kind: entry.kind,
    account_id: entry.accountId,
    order_id: entry.orderId,
    transaction_id: entry.transactionId,
    reason: entry.reason,
    advice: entry.advice,
    since: entry.since.toISOString(),
  };
}

const columns: ReadonlyArray<Column<ReviewView>> = [
  { title: 'OPEN', text: (entry, screen) => ageOf(entry.since, screen), isRight: true },
  { title: 'REASON', text: ({ reason }) => reason, widthMax: 26, style: () => 'yellow' },
  { title: 'ID', text: ({ id }) => id },
  { title: 'ADVICE', text: ({ advice }) => advice },
];
