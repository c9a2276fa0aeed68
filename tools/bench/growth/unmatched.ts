/** Deliveries that never match an order: the cost of requests in a database with very many of them, and with none. */
import type { Database } from '../../../src/postgres/database.ts';
import { capturedWebhook } from '../../harness/captured-webhook.ts';
import { fillDeliveries } from '../fill-deliveries.ts';

import { sendEach } from '../send-each.ts';
import { compareStages } from './kinds.ts';
import type { Sizes } from './options.ts';
import { type Row, tableOf } from './results.ts';
import { fillPaidOrders, type Stage, shopOf, withStage } from './stage.ts';

export async function measureUnmatched({ unmatched, smallOrders }: Sizes): Promise<string> {
  let rows: readonly Row[] = [];
  const fillOrders = (stage: Stage) => fillPaidOrders(stage, smallOrders);
  const fillBoth = async (stage: Stage) => {
    const orders = await fillOrders(stage);
    const copyDeliveries = await parkOriginal(stage, unmatched);
    const copy = async (database: Database) => {
      await orders.copy?.(database);
      await copyDeliveries(database);
    };
    return { ...orders, copy };
  };
  await withStage(`${unmatched} unmatched deliveries`, fillBoth, (grown) =>
    withStage('no unmatched delivery', fillOrders, async (base) => {
      rows = await compareStages(base, grown);
    }),
  );
  return `a database with ${unmatched} deliveries that match no order against one with none, beside ${smallOrders} paid orders. A third
waits for a later try, a third is due, a third is dead.

${tableOf('none', String(unmatched), rows)}`;
}

/** One is parked over HTTP. Returns how to copy it. */
async function parkOriginal(stage: Stage, count: number) {
  const shop = shopOf(stage);
  const name = 'unmatchedoriginal';
  const request = capturedWebhook(shop, name, { invoice_id: `OTHER-${name}` });
  const sending = { requests: [request], connections: 1, secondsMax: 60 };
  const { answers } = await sendEach(stage.service.url, sending);
  if (!answers.has('parked')) throw new Error(`it was answered ${[...answers.keys()].join()}`);
  const { rows } = await stage.database.query<{ delivery_id: string }>({
    text: `select delivery_id from deliveries where account_id = $1 and event_id = $2`,
    values: [shop.accountId, `evt${name}`],
  });
  const deliveryId = rows[0]?.delivery_id ?? '';
  return (database: Database) =>
    fillDeliveries(database, { accountId: shop.accountId, deliveryId, name }, count);
}
