/** Lists what needs a person in one account, for the dashboard. Contract 13.6. */
import { refuseField } from '../../domain/errors.ts';
import type { Services } from '../../services/services.ts';
import { listReview, type ReviewPageRead } from './list-review.ts';

type OpenReviewQuery = {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  /** Rows to read at a time; a row with several flags has several entries. */
  readonly limit: number;
};

/** Deliveries whose flags are listed with their orders have no entry, so many rows may have none. */
const emptyReadsMax = 20;

export async function listOpenReview(
  { database }: Pick<Services, 'database'>,
  accountId: string,
  { after, limit }: OpenReviewQuery,
): Promise<ReviewPageRead> {
  let start = after;
  for (let reads = 1; ; reads += 1) {
    const page = await listReview({ database }, { accountId, after: start, limit });
    if (!page) refuseField('after', 'must be the next of a page');
    const { entries, next } = page;
    if (entries.length > 0 || next === undefined || reads === emptyReadsMax) return page;
    start = next;
  }
}
