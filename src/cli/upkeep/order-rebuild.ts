/** `order rebuild`: folds one order or all orders again from the inbox, and saves the result. */
import { commandLine } from '../../domain/audit.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { rebuildAll, rebuildOrder } from '../../use-cases/upkeep/rebuild-order.ts';
import { defineCommand, RefusedError, UsageError } from '../framework/command.ts';
import { accountArgument } from '../framework/common-options.ts';

export const orderRebuild = defineCommand({
  name: ['order', 'rebuild'],
  summary: 'Derive an order, or all, again from the inbox.',
  description:
    'Derives an order again from its stored deliveries and saves the result, or with --all every order. An order that is right does not change. The exit status is 1 if an order could not be rebuilt.',
  arguments: [
    { ...accountArgument, isOptional: true },
    {
      name: 'ORDER_ID',
      phrase: 'an order id',
      text: 'The order, as "order list" prints it.',
      isOptional: true,
    },
  ],
  options: { all: { text: 'Rebuild every order of every account.' } },
  examples: ['order rebuild acc_… o_…', 'order rebuild --all'],
  read: ({ values: { all = false }, positionals: [accountId, orderId] }) => {
    const order =
      accountId === undefined || orderId === undefined ? undefined : { accountId, orderId };
    if (all ? accountId !== undefined : !order) {
      throw new UsageError('Give an account id and an order id, or --all.');
    }
    return order;
  },
  run: async (services, order) => {
    if (!order) return rebuildAll(services, commandLine);
    const { accountId, orderId } = order;
    if (!(await findOrder(services.database, accountId, orderId))) {
      throw new RefusedError(`Account ${accountId} has no order ${orderId}.`);
    }
    return { orderId, outcome: await rebuildOrder(services, accountId, orderId, commandLine) };
  },
  isFailure: (outcome) => 'failed' in outcome && outcome.failed.length > 0,
});
