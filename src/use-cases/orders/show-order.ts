/** Finds one order for an operator, by its id or invoice, in one account or in all, with everything that belongs to it. */
import { isOrderId } from '../../domain/ids.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { listAccountIds } from '../../store/accounts/accounts.ts';
import { listNewestOfOrder } from '../../store/inbox/delivery-lists.ts';
import {
  findOrdersWithTransactions,
  type OrderQuestion,
  type OrderWithTransactions,
} from '../../store/orders/enquiry.ts';
import { listRecentHistory } from '../../store/orders/history.ts';
import { describeContents } from '../inbox/describe-contents.ts';

/** How many deliveries, and how many rows of the history, are shown. */
export const shownMax = 200;

export async function showOrder(
  services: Pick<Services, 'database' | 'clock'>,
  name: string,
  accountId: string | undefined,
) {
  const { database, clock } = services;
  const found = await findOrder(database, name, accountId);
  if ('refusal' in found) return found;
  const { order } = found;
  const deliveries = await listNewestOfOrder(database, order, { limit: shownMax });
  return {
    order,
    transactions: settleTransactions(found, clock()),
    // The last ones, oldest first.
    deliveries: await describeContents(database, deliveries.toReversed()),
    history: await listRecentHistory(database, order, shownMax),
  };
}

/** Finds one order for an operator, by its id or invoice, in one account or in all. */
export async function findOrder(database: Database, name: string, accountId: string | undefined) {
  const accountIds = accountId === undefined ? await listAccountIds(database) : [accountId];
  const [found, another] = await findOrdersNamed(database, name, accountIds);
  if (another) return { refusal: `Several accounts have an invoice ${name}: give --account ID.` };
  return found ?? { refusal: `There is no order with the id or invoice ${name}.` };
}

/** Accounts per statement; each is one search of an index. */
const accountsPerStatement = 100;

/** An invoice may look like the id of an order, which comes first. */
async function findOrdersNamed(database: Database, name: string, accountIds: readonly string[]) {
  const names = isOrderId(name) ? (['order_id', 'invoice_id'] as const) : (['invoice_id'] as const);
  for (const idName of names) {
    const found: OrderWithTransactions[] = [];
    for (let at = 0; at < accountIds.length; at += accountsPerStatement) {
      const questions = accountIds
        .slice(at, at + accountsPerStatement)
        .map((accountId): OrderQuestion => ({ accountId, idName, id: name }));
      const answers = await findOrdersWithTransactions(database, questions);
      found.push(...answers.filter((answer) => answer !== undefined));
    }
    if (found.length > 0) return found;
  }
  return [];
}
