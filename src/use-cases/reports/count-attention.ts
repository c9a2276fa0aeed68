/** Counts what needs a person's attention in an account, up to a limit. */
import type { Services } from '../../services/services.ts';
import { listEndpoints } from '../../store/accounts/endpoints.ts';
import { countDeliveriesOfState, countUndelivered } from '../../store/inbox/attention.ts';
import { countMax, countReview, type LimitedCount, limited } from '../review/count-review.ts';

export type Attention = {
  /** Everything that the review lists, dead deliveries included. */
  readonly review: LimitedCount;
  readonly parkedDeliveries: LimitedCount;
  /** Events for endpoints that were given up. */
  readonly undeliveredEvents: LimitedCount;
  readonly disabledEndpoints: LimitedCount;
};

export async function countAttention(
  { database }: Pick<Services, 'database'>,
  accountId: string,
): Promise<Attention> {
  const [review, parked, undelivered, endpoints] = await Promise.all([
    countReview({ database }, accountId),
    countDeliveriesOfState(database, accountId, 'parked', countMax + 1),
    countUndelivered(database, accountId, countMax + 1),
    listEndpoints(database, accountId),
  ]);
  const disabled = endpoints.filter(({ disabledReason }) => disabledReason !== null).length;
  return {
    review,
    parkedDeliveries: limited(parked),
    undeliveredEvents: limited(undelivered),
    disabledEndpoints: limited(disabled),
  };
}
