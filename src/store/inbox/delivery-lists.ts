/**
 * Deliveries without their bodies, newest first: those of an account that match a filter, and those of an order.
 * Delivery ids begin with the account and the time, so the primary key serves the list of all.
 */
import { deliveryIdAt, firstTimeKeyAt } from '../../domain/ids.ts';
import type { Delivery, DeliveryState } from '../../domain/inbox/delivery.ts';
import type { Queryable } from '../../postgres/database.ts';
import { sql, word } from '../../postgres/sql.ts';
import { compare, type FoundRows, findNewest, type StepRange } from '../newest.ts';
import type { OrderKey } from '../order-rows.ts';
import { listRows } from '../query.ts';
import { listedColumns } from './deliveries.ts';

/** A delivery without its body, which may be large. */
export type ListedDelivery = Omit<Delivery, 'headers' | 'body'>;

export type DeliveryFilter = {
  readonly state?: DeliveryState | undefined;
  readonly provider?: string | undefined;
  /** Received then or later. */
  readonly since?: Date | undefined;
};

/** The cursor is the part of the id behind the account. */
type FilteredDeliveries = StepRange & { readonly filter: DeliveryFilter };

/** States that few deliveries have, so that an index contains them. */
const indexedStates: readonly DeliveryState[] = ['received', 'parked', 'dead', 'needs_review'];

export function findFilteredDeliveries(
  database: Queryable,
  accountId: string,
  { filter: { state, provider, since }, before, ...range }: FilteredDeliveries,
): Promise<FoundRows<ListedDelivery>> {
  const hasIndex = state !== undefined && indexedStates.includes(state);
  const first = since && firstTimeKeyAt(since);
  return findNewest<ListedDelivery>(
    database,
    accountId,
    {
      columns: listedColumns,
      sortedBy: [sql`delivery_id`],
      cursor: before === undefined ? undefined : [deliveryIdAt(accountId, before)],
      indexed: [
        // Part of the text, because a parameter does not match the condition of the partial index.
        ...(hasIndex ? [() => sql`state = '${word(state)}'`] : []),
        ...compare(sql`delivery_id >=`, first && deliveryIdAt(accountId, first)),
      ],
      looked: [
        ...(hasIndex ? [] : compare(sql`state =`, state)),
        ...compare(sql`provider =`, provider),
        ...compare(sql`received_at >=`, since),
      ],
      from: (wanted) => sql`deliveries d where ${wanted}`,
    },
    range,
  );
}

/** The last deliveries that belong to an order, or the last that were received up to a time. */
export function listNewestOfOrder(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  { limit, upTo }: { readonly limit: number; readonly upTo?: Date },
) {
  return listRows<ListedDelivery>(database, [accountId, orderId, limit, upTo ?? null])`
    select ${listedColumns} from deliveries d where account_id = $1 and order_id = $2
       and ($4::timestamptz is null or received_at <= $4)
     order by received_at desc, delivery_id desc limit $3`;
}
