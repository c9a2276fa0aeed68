/** The three kinds of requests whose cost must not grow, and the comparison of two databases by them. */
import type { NextRequest } from '../load.ts';
import { createOrders, enquire, inTurn, makeOrders, partnerWebhooks } from '../requests.ts';
import type { Shop } from '../shop.ts';
import { measureInTurn, measureLoad } from './cost.ts';
import type { Row } from './results.ts';
import type { Stage } from './stage.ts';

type Kind = (stage: Stage) => Promise<NextRequest>;

/** More than can be delivered in one measurement, so that none has to be sent twice. */
const webhooks = 20_000;
const askedOrders = 5_000;
const rounds = 6;

export const kinds: Readonly<Record<string, Kind>> = {
  'create order': async ({ shops }) => inTurn(shops.map(createOrders)),
  'enquiry by order id': async (stage) => {
    const each = Math.ceil(askedOrders / stage.shops.length);
    const asked = await mapFewAtOnce(stage.shops, async (shop) =>
      enquire(shop, await listOrderIds(stage, shop.accountId, each)),
    );
    return inTurn(asked);
  },
  'partner webhook': async ({ shops, database, service }) => {
    const each = Math.ceil(webhooks / shops.length);
    const made = await mapFewAtOnce(shops, async (shop) =>
      partnerWebhooks(shop, await makeOrders(database, service.url, shop, each)),
    );
    return inTurn(made);
  },
};

export async function measureKind(stage: Stage, kind: Kind) {
  return measureLoad(stage.service, await kind(stage));
}

/** Both services run at the same time and are measured in turn. */
export async function compareStages(base: Stage, grown: Stage): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, kind] of Object.entries(kinds)) {
    const costs = await measureInTurn(rounds, {
      base: () => measureKind(base, kind),
      grown: () => measureKind(grown, kind),
    });
    rows.push({ what, ...costs });
  }
  return rows;
}

const shopsAtOnce = 4;

/** A thousand shops at the same time would wait too long for a connection to the database. */
async function mapFewAtOnce<Result>(
  shops: readonly Shop[],
  prepare: (shop: Shop) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < shops.length; from += shopsAtOnce) {
    const few = shops.slice(from, from + shopsAtOnce);
    results.push(...(await Promise.all(few.map(prepare))));
  }
  return results;
}

async function listOrderIds({ database }: Stage, accountId: string, limit: number) {
  const { rows } = await database.query<{ order_id: string }>({
    text: 'select order_id from orders where account_id = $1 order by order_id limit $2',
    values: [accountId, limit],
  });
  return rows;
}
