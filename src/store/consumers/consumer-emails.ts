/** Which consumers of an account use an e-mail address. It is learned from orders in the background. */

import { foldEmail } from '../../domain/consumers/erased-consumer.ts';
import { firstOrderIdAt } from '../../domain/ids.ts';
import { slotAfter } from '../../domain/reports/slot.ts';
import { defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { listValues } from '../query.ts';
import type { Slot } from '../reports/figures.ts';

type ConsumerEmail = { readonly email: string; readonly userId: string };

const emailRows = defineRows<ConsumerEmail>({ text: ['email', 'userId'] });

/** Learns the addresses of the orders of a half hour, which must be locked for it: that ends the race with an erasure. */
export async function learnEmailsOf(tx: Transaction, { accountId, startsAt }: Slot) {
  const { rows } = await tx.query<ConsumerEmail>({
    text: `select distinct details -> 'user' ->> 'email' as email, user_id as "userId" from orders
            where account_id = $1 and order_id >= $2 and order_id < $3
              and user_id is not null and details -> 'user' ->> 'email' is not null`,
    values: [accountId, firstOrderIdAt(startsAt), firstOrderIdAt(slotAfter(startsAt))],
  });
  if (rows.length === 0) return;
  const learned = rows.map(({ email, userId }) => ({ email: foldEmail(email), userId }));
  const values = emailRows.toParameters(learned);
  await tx.query({
    text: `insert into consumer_emails (account_id, email, user_id)
           select $${values.length + 1}, email, user_id from ${emailRows.from}
           on conflict (account_id, email, user_id) do nothing`,
    values: [...values, accountId],
  });
}

/** The address must be folded. */
export function listConsumersByEmail(
  database: Queryable,
  accountId: string,
  email: string,
  limit: number,
) {
  return listValues<string>(database, {
    text: `select user_id from consumer_emails where account_id = $1 and email = $2
            order by user_id limit $3`,
    values: [accountId, email, limit],
  });
}

/** Forgets all addresses of these consumers. Contract 8.7. Half hours must be locked for e-mail addresses. */
export async function deleteEmails(tx: Transaction, accountId: string, userIds: readonly string[]) {
  await tx.query({
    text: 'delete from consumer_emails where account_id = $1 and user_id = any($2::text[])',
    values: [accountId, userIds],
  });
}
