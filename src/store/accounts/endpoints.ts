/** Endpoints of accounts: where events are sent. Contract 12.1. Their secrets are in `account-secrets.ts`. */
import type { Endpoint } from '../../domain/accounts/endpoint.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, word } from '../../postgres/sql.ts';
import { execute, listRows } from '../query.ts';

const columns = columnsOf('accountId, endpointId, url, events, createdAt, disabledReason');

/** Oldest first. */
export function listEndpoints(database: Queryable, accountId: string) {
  return listRows<Endpoint>(database, [accountId], 'find-account-endpoints')`
    select ${columns} from endpoints where account_id = $1 order by created_at, endpoint_id`;
}

export function listAllEndpoints(database: Queryable) {
  return listRows<Endpoint>(database)`
    select ${columns} from endpoints order by account_id, created_at, endpoint_id`;
}

/** Since when an enabled endpoint of each account has got every event; accounts without such an endpoint are left out. */
export async function listCompleteSince(database: Queryable, accountIds: readonly string[]) {
  const rows = await listRows<{ account_id: string; since: Date }>(database, [accountIds])`
    select account_id, min(complete_since) as since from endpoints
     where account_id = any ($1) and disabled_reason is null and events = '{}'
     group by account_id`;
  return new Map(rows.map((row) => [row.account_id, row.since]));
}

export async function insertEndpoint(tx: Transaction, endpoint: Endpoint) {
  const { accountId, endpointId, url, events, createdAt } = endpoint;
  await execute(tx, [accountId, endpointId, url, events, createdAt])`
    insert into endpoints (account_id, endpoint_id, url, events, created_at, complete_since)
    values ($1, $2, $3, $4, $5, $5)`;
}

/** With other types than before, events are complete only from `now` on. A new URL has not failed yet. */
export async function updateEndpoint(
  tx: Transaction,
  { accountId, endpointId, url, events }: Endpoint,
  now: Date,
) {
  await execute(tx, [accountId, endpointId, url, events, now])`
    update endpoints set url = $3, events = $4,
           complete_since = case when events = $4 then complete_since else $5 end,
           failing_since = case when url = $3 then failing_since end
     where account_id = $1 and endpoint_id = $2`;
}

export async function enableEndpoint(
  tx: Transaction,
  { accountId, endpointId }: EndpointKey,
  now: Date,
) {
  await execute(tx, [accountId, endpointId, now])`
    update endpoints set disabled_reason = null, failing_since = null, complete_since = $3
     where account_id = $1 and endpoint_id = $2 and disabled_reason is not null`;
}

/** The reason of an endpoint that is disabled already stays. */
export async function disableEndpoint(
  tx: Transaction,
  { accountId, endpointId }: EndpointKey,
  reason: string,
) {
  await execute(tx, [accountId, endpointId, reason])`
    update endpoints set disabled_reason = $3
     where account_id = $1 and endpoint_id = $2 and disabled_reason is null`;
}

/**
 * Its events are dropped; their rows stay, because numbers must have no gap, and lose their bodies with age. They come
 * first: that waits for results that are being saved, whose attempts are then deleted too.
 */
export async function deleteEndpoint(tx: Transaction, { accountId, endpointId }: EndpointKey) {
  const values = [accountId, endpointId];
  // One statement for each state, because each state has its own index.
  for (const state of ['pending', 'undelivered'] as const) {
    await execute(tx, values)`
      update events set state = 'dropped', next_attempt_at = null, body = null
       where account_id = $1 and endpoint_id = $2 and state = '${word(state)}'`;
  }
  for (const table of ['event_attempts', 'endpoints'] as const) {
    await execute(tx, values)`
      delete from ${word(table)} where account_id = $1 and endpoint_id = $2`;
  }
}

export type EndpointKey = Pick<Endpoint, 'accountId' | 'endpointId'>;
