/**
 * The newest deliveries of an account that have a state or come from a provider. Delivery ids begin with the account and
 * the time, so the primary key serves the list of all. States that need somebody have an index; for the others, and for
 * a provider, a search reads deliveries from the newest on and says how far it came.
 */
import type { DeliveryState } from '../../domain/inbox/delivery.ts';
import type { Queryable } from '../../postgres/database.ts';
import type { FoundRows, SearchRange } from '../search-step.ts';
import { type AddValue, indexedStates } from './newest.ts';

export type DeliveryFilter = {
  readonly state?: DeliveryState | undefined;
  readonly provider?: string | undefined;
};

export type FilteredDeliveries = SearchRange & { readonly filter: DeliveryFilter };

export async function findFilteredDeliveries(
  database: Queryable,
  accountId: string,
  { filter, before, limit, lookedAtMax }: FilteredDeliveries,
): Promise<FoundRows> {
  const values: unknown[] = [accountId];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const { condition, isMatch } = conditionsOf(filter, add);
  const range = before === undefined ? '' : `and delivery_id < ${add(before)}`;
  const { rows } = await database.query<{ ids: string[]; looked_at: number; last: string | null }>({
    text: `with looked_at as materialized (
             select delivery_id, ${isMatch} as is_match from deliveries
              where account_id = $1 ${condition} ${range}
              order by delivery_id desc limit ${add(lookedAtMax)})
           select array(select delivery_id from looked_at where is_match
                         order by delivery_id desc limit ${add(limit)}) as ids,
                  (select count(*) from looked_at) as looked_at,
                  (select delivery_id from looked_at order by delivery_id limit 1) as last`,
    values,
  });
  const { ids = [], looked_at: lookedAt = 0, last = null } = rows[0] ?? {};
  if (ids.length === limit) return { ids, lookedAt, next: ids.at(-1) };
  return { ids, lookedAt, next: lookedAt < lookedAtMax ? undefined : (last ?? undefined) };
}

function conditionsOf({ state, provider }: DeliveryFilter, add: AddValue) {
  const matches: string[] = [];
  const hasIndex = state !== undefined && indexedStates.includes(state);
  if (state !== undefined && !hasIndex) matches.push(`state = ${add(state)}`);
  if (provider !== undefined) matches.push(`provider = ${add(provider)}`);
  return {
    // Part of the text, because a parameter does not match the condition of the partial index.
    condition: hasIndex ? `and state = '${state}'` : '',
    isMatch: matches.join(' and ') || 'true',
  };
}
