/** `order rebuild`: folds an order, or all of them, from the inbox and stores what comes of it. */
import { rebuildOrder } from '../use-cases/rebuild-order.ts';
import { rebuildAll } from '../use-cases/rebuild-orders.ts';
import type { Services } from '../use-cases/services.ts';
import { type Command, jsonOption, readWords } from './command.ts';

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
    };
  },
};

async function rebuildOne(services: Services, accountId: string, orderId: string) {
  return { order_id: orderId, outcome: await rebuildOrder(services, accountId, orderId) };
}
