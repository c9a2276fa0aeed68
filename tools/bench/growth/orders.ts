/** Orders: the cost of requests in a database of very many paid orders against a small one, and `verify` over both. */
import { compareStages } from './kinds.ts';
import type { Sizes } from './options.ts';
import { type Row, tableOf } from './results.ts';
import { fillPaidOrders, type Stage, warmIndexes, withStage } from './stage.ts';
import { tableOfVerifications, type Verification, verifyStage } from './verify.ts';

type Use = (small: Stage, large: Stage) => Promise<void>;

/** The large database takes long to fill, so both parts use the same one if both are measured. */
export async function withOrders({ smallOrders, orders }: Sizes, use: Use): Promise<void> {
  await withStage(
    `${orders} orders`,
    (stage) => fillPaidOrders(stage, orders),
    (large) =>
      withStage(
        `${smallOrders} orders`,
        (stage) => fillPaidOrders(stage, smallOrders),
        (small) => use(small, large),
      ),
  );
}

export async function compareOrders(
  small: Stage,
  large: Stage,
  { smallOrders, orders }: Sizes,
): Promise<string> {
  await warmIndexes(large);
  const rows: readonly Row[] = await compareStages(small, large);
  return `a database of ${orders} paid orders in one account against one of ${smallOrders}. Each order has its transaction,
its history, its delivery and its provider's id; every tenth delivery has its body.

${tableOf(String(smallOrders), String(orders), rows)}`;
}

export async function compareVerify(
  small: Stage,
  large: Stage,
  { smallOrders, orders }: Sizes,
): Promise<string> {
  const verified: Verification[] = [];
  verified.push(await verifyStage(small, smallOrders));
  verified.push(await verifyStage(large, orders));
  return `\`verify\` over these databases while the service runs. Its memory must not grow with the orders.

${tableOfVerifications(verified)}`;
}
