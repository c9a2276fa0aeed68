import { test } from 'node:test';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { assertRefused } from '../assertions.ts';
import { captureOf, openShop, type Shop, shopOf } from '../webhooks/shop.ts';

const shop = await openShop();
const { service } = shop;
const own = await paidOrder(shop);
const other = await paidOrder(shop);
const foreign = await paidOrder(shopOf(service, await service.createAccount()));

const { transaction_id, order_id, invoice_id } = own;
const unknown: [name: string, ids: Record<string, string>, code: ErrorCode][] = [
  [
    'an unknown transaction_id',
    { transaction_id: `${order_id}-010101000000` },
    'TRANSACTION_NOT_FOUND',
  ],
  ['an unknown order_id', { order_id: 'o_0000000000000000' }, 'ORDER_NOT_FOUND'],
  ['an unknown invoice_id', { invoice_id: 'none' }, 'INVOICE_NOT_FOUND'],
  ['an order_id that is none', { order_id: "' or 1=1 --" }, 'ORDER_NOT_FOUND'],
  ['an invoice_id sent as an order_id', { order_id: invoice_id }, 'ORDER_NOT_FOUND'],
  ['an order_id sent as an invoice_id', { invoice_id: order_id }, 'INVOICE_NOT_FOUND'],
  ['an order_id sent as a transaction_id', { transaction_id: order_id }, 'TRANSACTION_NOT_FOUND'],
  [
    'an unknown order_id beside a known invoice_id',
    { order_id: 'x', invoice_id },
    'ORDER_NOT_FOUND',
  ],
  [
    'an unknown invoice_id beside a known order_id',
    { order_id, invoice_id: 'x' },
    'INVOICE_NOT_FOUND',
  ],
  [
    'an unknown transaction_id beside a known order_id',
    { transaction_id: 'x', order_id },
    'TRANSACTION_NOT_FOUND',
  ],
  [
    "another account's transaction_id",
    { transaction_id: foreign.transaction_id },
    'TRANSACTION_NOT_FOUND',
  ],
  ["another account's order_id", { order_id: foreign.order_id }, 'ORDER_NOT_FOUND'],
  ["another account's invoice_id", { invoice_id: foreign.invoice_id }, 'INVOICE_NOT_FOUND'],
  [
    "another account's order_id beside an own invoice_id",
    { order_id: foreign.order_id, invoice_id },
    'ORDER_NOT_FOUND',
  ],
];
for (const [name, ids, code] of unknown) {
  test(`${name} is not found`, async () => {
    assertRefused(await shop.enquire(ids), code);
  });
}

for (const [whose, stranger] of [
  ['another order', other],
  ["another account's order", foreign],
] as const) {
  test(`an order token does not find ${whose} by any id`, async () => {
    const cases: [ids: Record<string, string>, code: ErrorCode][] = [
      [{ transaction_id: stranger.transaction_id }, 'TRANSACTION_NOT_FOUND'],
      [{ order_id: stranger.order_id }, 'ORDER_NOT_FOUND'],
      [{ invoice_id: stranger.invoice_id }, 'INVOICE_NOT_FOUND'],
      [{ order_id, invoice_id: stranger.invoice_id }, 'INVOICE_NOT_FOUND'],
      [{ transaction_id, order_id: stranger.order_id }, 'ORDER_NOT_FOUND'],
    ];
    for (const [ids, code] of cases) assertRefused(await shop.enquire(ids, own.token), code);
  });
}

async function paidOrder(of: Shop) {
  const order = await of.createOrder();
  await of.sendPartner(captureOf(order));
  const { body } = await of.enquire({ order_id: order.order_id });
  return { ...order, transaction_id: body.transaction[0].svc_transaction_id as string };
}
