/** `review list`: prints the deliveries and flags that an operator has to resolve, page by page, each oldest first. */
import { listReview, type ReviewEntry } from '../use-cases/maintenance/list-review.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';
import { limitOption, readLimit } from './limit.ts';

export const reviewList: Command = {
  name: ['review', 'list'],
  usage: 'review list [--account ID] [--limit N] [--after NEXT] [--json]',
  parse: (words) => {
    const text = { type: 'string' } as const;
    const options = { account: text, after: text, ...limitOption, ...jsonOption } as const;
    const { values } = readWords(words, options);
    const { account, after } = values;
    const limit = readLimit(values.limit);
    return {
      json: values.json,
      run: async (services) => {
        if (account !== undefined && !(await services.accounts.find(account))) {
          throw new UsageError(`There is no account ${account}.`);
        }
        const page = await listReview(services, { accountId: account, after, limit });
        if (!page) throw new UsageError('--after must be the "next" of a page.');
        const { entries, next } = page;
        const oldestFirst = entries.toSorted((a, b) => a.since.getTime() - b.since.getTime());
        return { review: oldestFirst.map(reviewView), ...(next !== undefined && { next }) };
      },
    };
  },
};

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
