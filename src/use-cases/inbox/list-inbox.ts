/** Lists the deliveries of one account for the dashboard, newest first, with what each is about. */
import { refuseField } from '../../domain/errors.ts';
import { findAccountIdOfDelivery } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import { searchInSteps } from '../../services/search-in-steps.ts';
import {
  type DeliveryFilter,
  findFilteredDeliveries,
} from '../../store/inbox/filtered-deliveries.ts';
import { type DescribedDelivery, describeByIds } from './describe-contents.ts';

type Needs = { readonly database: Database };

export type InboxQuery = {
  readonly filter: DeliveryFilter;
  /** The `next` of the previous page: a delivery id. */
  readonly after?: string | undefined;
  readonly limit: number;
};

export type InboxPage = {
  readonly deliveries: readonly DescribedDelivery[];
  /** How many deliveries were looked at to find these. */
  readonly lookedAt: number;
  /** Undefined after the last delivery. A page with a next one may have few deliveries, or none. */
  readonly next: string | undefined;
};

export async function listInbox(
  { database }: Needs,
  accountId: string,
  { filter, after, limit }: InboxQuery,
): Promise<InboxPage> {
  if (after !== undefined && findAccountIdOfDelivery(after) !== accountId) {
    refuseField('after', 'must be the next of a page');
  }
  const { ids, lookedAt, next } = await searchInSteps(
    (range) => findFilteredDeliveries(database, accountId, { ...range, filter }),
    { after, limit },
  );
  return { deliveries: await describeByIds(database, accountId, ids), lookedAt, next };
}
