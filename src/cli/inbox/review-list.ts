/** `review list`: prints the deliveries and flags that an operator has to resolve, page by page, each oldest first. */
import { listReview, type ReviewEntry } from '../../use-cases/review/list-review.ts';
import { UsageError } from '../framework/command.ts';
import { defineList } from '../framework/list.ts';
import { ageOf, type Column } from '../framework/table.ts';

function reviewView(entry: ReviewEntry) {
  const { id, kind, accountId, orderId, transactionId, reason, advice, since } = entry;
  return { id, kind, accountId, orderId, transactionId, reason, advice, since };
}

const columns: ReadonlyArray<Column<ReturnType<typeof reviewView>>> = [
  { title: 'OPEN', text: (entry, screen) => ageOf(entry.since, screen), isRight: true },
  { title: 'REASON', text: ({ reason }) => reason, widthMax: 26, style: () => 'yellow' },
  { title: 'ID', text: ({ id }) => id },
  { title: 'ADVICE', text: ({ advice }) => advice },
];

export const reviewList = defineList({
  name: ['review', 'list'],
  summary: 'List what a person has to look at.',
  description:
    'Lists every open item: deliveries that need a review, flags of orders and transactions, and dead deliveries. Each has an id for "review resolve", the reason, and an advice.',
  options: {
    after: { value: 'NEXT', text: 'Continue at the "next" of the last page.' },
  },
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
