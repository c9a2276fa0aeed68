/**
 * `npm run bench:polls [-- transactions]`: how many due transactions one process polls in a second. A stub provider
 * answers after a delay: first that nobody has paid, then that everybody has.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../src/postgres/database.ts';
import { startLocalServer } from '../harness/local-server.ts';
import { type Request, send } from '../harness/send.ts';
import { readCpu, readPauseMs } from './load.ts';
import { createOrders, makeOrders } from './requests.ts';
import { openShop, type Shop, setPartnerUrl } from './shop.ts';
import { type Program, withDataDir, withService } from './stage.ts';

const transactions = Number(process.argv[2] ?? 10_000);
const answerMs = 50;
const accountCounts = [1, 4];

type Stage = { readonly service: Program; readonly database: Database };

await withDataDir((dataDir) =>
  withService(dataDir, async (service, database) => {
    const stage = { service, database };
    const provider = await startProvider();
    const shops: Shop[] = [];
    while (shops.length < Math.max(...accountCounts)) {
      const shop = await openShop(service.url, dataDir);
      await setPartnerUrl(shop, provider.url);
      shops.push(shop);
    }
    for (const count of accountCounts) {
      for (const isPaid of [false, true]) {
        provider.setPaid(isPaid);
        const own = shops.slice(0, count);
        const { perSecond, failed, pauseMs, cpuMicros, databaseMicros } = await measure(
          stage,
          own,
          provider.countAnswers,
        );
        const found = isPaid ? 'paid' : 'not paid';
        console.log(
          `${count} accounts, ${found}: ${perSecond.toFixed(0)} polls/s, ${failed} failed, ` +
            `CPU of a poll ${cpuMicros.toFixed(0)} µs and ${databaseMicros.toFixed(0)} µs ` +
            `in the database, longest pause of the event loop ${pauseMs.toFixed(0)} ms`,
        );
      }
    }
    await provider.close();
  }),
);

async function startProvider() {
  let isPaid = false;
  let answers = 0;
  const { url, close } = await startLocalServer(async (request, response) => {
    request.resume();
    const [, order = ''] = /^\/v1\/orders\/([^/]+)\/payments/.exec(request.url ?? '') ?? [];
    if (order !== '') await delay(answerMs);
    const body = order === '' ? { id: 'order_bench' } : { items: isPaid ? [paymentOf(order)] : [] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
    answers += 1;
  });
  return {
    url,
    close,
    setPaid: (next: boolean) => {
      isPaid = next;
    },
    countAnswers: () => answers,
  };
}

function paymentOf(order: string) {
  return {
    id: order.replace('order_', 'pay_'),
    entity: 'payment',
    order_id: order,
    amount: 11_800,
    currency: 'INR',
    status: 'captured',
    captured: true,
    method: 'upi',
    vpa: 'asha@okbank',
    notes: {},
    created_at: 1_800_000_000,
  };
}

async function measure(
  { service, database }: Stage,
  shops: readonly Shop[],
  countAnswers: () => number,
) {
  const startedAt = new Date();
  for (const shop of shops) {
    await fillPayments({ service, database }, shop, Math.ceil(transactions / shops.length));
  }
  await database.query({ text: 'analyze orders, transactions' });
  const accountIds = shops.map(({ accountId }) => accountId);
  const { rowCount } = await database.query({
    text: `update transactions set next_poll_at = now()
            where account_id = any($1::text[]) and polls = 0`,
    values: [accountIds],
  });
  const due = rowCount ?? 0;
  await readPauseMs(service);
  const answersBefore = countAnswers();
  const cpuBefore = await readCpu(service);
  const fromMs = performance.now();
  while (countAnswers() - answersBefore < due) await delay(10);
  let recorded = await countRecorded(database, accountIds, startedAt);
  while (recorded.count < due) {
    await delay(20);
    recorded = await countRecorded(database, accountIds, startedAt);
  }
  const seconds = (performance.now() - fromMs) / 1_000;
  const cpu = await readCpu(service);
  return {
    perSecond: due / seconds,
    failed: recorded.failed,
    cpuMicros: ((cpu.service - cpuBefore.service) * 1e6) / due,
    databaseMicros: ((cpu.database - cpuBefore.database) * 1e6) / due,
    pauseMs: await readPauseMs(service),
  };
}

/** Copies of one payment that the service started, each with an order of its own, here and at the provider. */
async function fillPayments({ service, database }: Stage, shop: Shop, count: number) {
  const { url } = service;
  const create = createOrders(shop)();
  const answerTo = async (request: Request) =>
    (await (await send(url, request)).json()) as Record<string, string>;
  const { order_id } = await answerTo(create);
  const body = JSON.stringify({ order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' });
  const { transaction_id } = await answerTo({ ...create, path: '/api/v3/initiate-payment', body });
  const orders = await makeOrders(database, url, shop, count);
  const ids = orders.map(({ orderId }) => orderId);
  await database.query({
    text: `insert into provider_orders (account_id, provider, provider_order_id, order_id)
           select $1, 'partner', 'order_' || id, id from unnest($2::text[]) id`,
    values: [shop.accountId, ids],
  });
  await database.query({
    text: `insert into transactions (account_id, transaction_id, order_id, type, provider, status,
             amount, currency, started_at, recorded_at, fields, flags, start, notices)
           select account_id, id || right(transaction_id, 13), id, type, provider, status, amount,
             currency, started_at, recorded_at, fields, flags,
             jsonb_set(start::jsonb, '{providerOrderId}', to_jsonb('order_' || id))::json, notices
             from transactions, unnest($3::text[]) id
            where account_id = $1 and transaction_id = $2`,
    values: [shop.accountId, transaction_id, ids],
  });
  // Otherwise the original would be polled again later, during another measurement.
  await database.query({
    text: 'update transactions set next_poll_at = null, polls = 1 where transaction_id = $1',
    values: [transaction_id],
  });
  await database.query({
    text: `update orders set status = 'pending', attempts = 1
            where account_id = $1 and order_id = any($2::text[])`,
    values: [shop.accountId, ids],
  });
}

/** Polls in the history: a poll is recorded after the provider has answered it. */
async function countRecorded(database: Database, accountIds: readonly string[], since: Date) {
  const { rows } = await database.query<{ count: number; failed: number }>({
    text: `select count(*)::integer as count,
                  count(*) filter (where entries::text not like '%"outcome":"done"%')::integer as failed
             from history
            where account_id = any($1::text[]) and cause = 'fetch-status' and happened_at > $2`,
    values: [accountIds, since],
  });
  return rows[0] ?? { count: 0, failed: 0 };
}
