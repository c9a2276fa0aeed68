/** `review list`: prints every delivery and flag that an operator has to resolve, oldest first. */
import { listReview, type ReviewEntry } from '../use-cases/maintenance/list-review.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';

export const reviewList: Command = {
  name: ['review', 'list'],
  usage: 'review list [--account ID] [--json]',
  parse: (words) => {
    const { values } = readWords(words, { account: { type: 'string' }, ...jsonOption } as const);
    const { account } = values;
    return {
      json: values.json,
      run: async (services) => {
        if (account !== undefined && !(await services.accounts.find(account))) {
          throw new UsageError(`There is no account ${account}.`);
        }
        const entries: ReviewEntry[] = [];
        for await (const entry of listReview(services, account)) entries.push(entry);
        entries.sort((a, b) => a.since.getTime() - b.since.getTime());
        return { review: entries.map(reviewView) };
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
