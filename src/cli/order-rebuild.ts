/** `order rebuild`: folds one order or all orders again from the inbox, and saves the result. */
import type { Services } from '../services/services.ts';
import { findOrder } from '../store/orders.ts';
import { rebuildOrder } from '../use-cases/maintenance/rebuild-order.ts';
import { rebuildAll } from '../use-cases/maintenance/rebuild-orders.ts';
import { type Command, jsonOption, readWords, UsageError } from './command.ts';

export const orderRebuild: Command = {
  name: ['order', 'rebuild'],
  usage: 'order rebuild ACCOUNT_ID ORDER_ID | order rebuild --all [--json]',
  parse: (words) => {
    const isAll = words.includes('--all');
    const options = { all: { type: 'boolean' }, ...jsonOption } as const;
    const wanted = isAll ? [] : ['an account id', 'an order id'];
    const { values, positionals } = readWords(words, options, wanted);
    const [accountId = '', orderId = ''] = positionals;
    return {
      json: values.json,
      run: (services) => (isAll ? rebuildAll(services) : rebuildOne(services, accountId, orderId)),
      isFailure: ({ failed = [] }) => Array.isArray(failed) && failed.length > 0,
    };
  },
};

async function rebuildOne(services: Services, accountId: string, orderId: string) {
  if (!(await findOrder(services.database, accountId, orderId))) {
    throw new UsageError(`Account ${accountId} has no order ${orderId}.`);
  }
  return { order_id: orderId, outcome: await rebuildOrder(services, accountId, orderId) };
}
