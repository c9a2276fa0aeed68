/** Which consumers of an account use an e-mail address. It is learned from orders in the background. */

import { foldEmail } from '../../domain/consumers/erased-consumer.ts';
import { firstOrderIdAt } from '../../domain/ids.ts';
import { slotAfter } from '../../domain/reports/slot.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { execute, listRows, listValues } from '../query.ts';
import type { Slot } from '../reports/figures.ts';

type ConsumerEmail = { readonly email: string; readonly userId: string };

const emailRows = defineRows<ConsumerEmail>({ text: ['email', 'userId'] });

/** Learns the addresses of the orders of a half hour, which must be locked for it: that ends the race with an erasure. */
export async function learnEmailsOf(tx: Transaction, { accountId, startsAt }: Slot) {
  const [from, to] = [startsAt, slotAfter(startsAt)].map(firstOrderIdAt);
  const rows = await listRows<ConsumerEmail>(tx, [accountId, from, to])`
    select distinct details -> 'user' ->> 'email' as email, user_id as "userId" from orders
     where account_id = $1 and order_id >= $2 and order_id < $3
       and user_id is not null and details -> 'user' ->> 'email' is not null`;
  if (rows.length === 0) return;
  const learned = rows.map(({ email, userId }) => ({ email: foldEmail(email), userId }));
  const values = emailRows.toParameters(learned);
  await execute(tx, [...values, accountId])`
    insert into consumer_emails (account_id, email, user_id)
    select $${values.length + 1}, email, user_id from ${emailRows.from}
    on conflict (account_id, email, user_id) do nothing`;
}

/** The address must be folded. */
export function listConsumersByEmail(
  database: Queryable,
  accountId: string,
  email: string,
  limit: number,
) {
  return listValues<string>(database, [accountId, email, limit])`
    select user_id from consumer_emails where account_id = $1 and email = $2
     order by user_id limit $3`;
}

/** Forgets all addresses of these consumers. Contract 8.7. Half hours must be locked for e-mail addresses. */
export async function deleteEmails(tx: Transaction, accountId: string, userIds: readonly string[]) {
  await execute(tx, [accountId, userIds])`
    delete from consumer_emails where account_id = $1 and user_id = any($2::text[])`;
}
