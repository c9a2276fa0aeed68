import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import type { ShownField } from '../../../src/domain/why/explanation.ts';
import { explanationText } from '../../../src/domain/why/text.ts';
import type { TimelineEntry } from '../../../src/domain/why/timeline.ts';
import { readHistoryPage } from '../../../src/store/orders/order-life.ts';
import { findDeliveryBody } from '../../../src/use-cases/inbox/describe-contents.ts';
import { explainOrder } from '../../../src/use-cases/orders/explain-order.ts';
import { resolveReview } from '../../../src/use-cases/review/resolve-review.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { eraseIn, meera, personalOrder, spellings, upiId } from '../../support/erasure.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop, type Shop } from './shop.ts';

const shop = await openShop();

describe('the explanation of an order', () => {
  test('has every delivery with its effect, oldest first', async () => {
    const order = await shop.createOrder();
    const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
    const failure = { status: 'failed', error_reason: 'payment_declined' };
    const failed = await send('payment.failed', { ...payment, ...failure });
    const captured = await send('payment.captured', payment);
    const stale = await send('payment.authorized', { ...payment, status: 'authorized' });
    const { timeline, transactions } = await explain(shop, order.order_id);
    assert.deepEqual(
      timeline.entries.map((entry) => [entry.kind, idOf(entry)]),
      [
        ['order-created', undefined],
        ['delivery-received', failed],
        ['delivery-received', captured],
        ['delivery-received', stale],
      ],
    );
    const effects = timeline.entries.flatMap((entry) =>
      'effects' in entry ? [statusesOf(entry)] : [],
    );
    const [{ transactionId } = { transactionId: '' }] = transactions;
    assert.deepEqual(effects, [
      [
        [transactionId, null, 'failed'],
        [null, 'new', 'pending'],
      ],
      [
        [transactionId, 'failed', 'succeeded'],
        [null, 'pending', 'completed'],
      ],
      [],
    ]);
    const status = fieldOf(transactions, 'status');
    assert.deepEqual(
      [status.value, status.setBy, status.lost.map(({ source, value }) => [source, value])],
      [
        'succeeded',
        [{ kind: 'delivery', deliveryId: captured }],
        [
          [{ kind: 'delivery', deliveryId: stale }, 'authorized'],
          [{ kind: 'delivery', deliveryId: failed }, 'failed'],
        ],
      ],
    );
    assert.deepEqual(
      [status.previous?.value, status.previous?.cause],
      ['failed', { kind: 'delivery', deliveryId: captured }],
    );
    assert.deepEqual([timeline.olderUpTo, timeline.isPruned], [null, false]);
  });

  test('names the first delivery that said so, and lists the later ones as also reported', async () => {
    const reports = ['payment.captured', 'order.paid', 'refund.created'] as const;
    for (const first of [0, 1, 2]) {
      const order = await shop.createOrder();
      const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
      const entities = {
        'payment.captured': { payment },
        'order.paid': { payment, order: { id: payment.order_id, receipt: order.order_id } },
        'refund.created': { payment, refund: partnerRefund(payment, { amount: 100 }) },
      };
      const arriving = [...reports.slice(first), ...reports.slice(0, first)];
      const sent: Reply[] = [];
      for (const [index, type] of arriving.entries()) {
        const created_at = 1_794_800_000 + index;
        sent.push(await shop.sendPartner(partnerEvent(type, entities[type], { created_at })));
      }
      const [setter, ...later] = sent.map(({ body }) => body.delivery_id);
      const { transactions } = await explain(shop, order.order_id);
      const [paid] = transactions.filter(({ type }) => type === 'payment');
      for (const name of ['status', 'amount', 'currency']) {
        const field = paid?.fields.find((each) => each.field === name);
        assert.deepEqual(field?.setBy, [{ kind: 'delivery', deliveryId: setter }], name);
        assert.ok(field?.lost.every(({ rule }) => rule === 'also-reported'));
        const others = field?.lost.map(({ source }) => 'deliveryId' in source && source.deliveryId);
        assert.deepEqual(others?.toSorted(), later.toSorted(), name);
        assert.deepEqual(field?.previous?.cause, { kind: 'delivery', deliveryId: setter });
      }
    }
  });

  test('never names a stale delivery as what set a value that another one set', async () => {
    const order = await shop.createOrder();
    const record = (changes: Record<string, unknown>) => gatewayPaymentOf(order, changes);
    const ids: string[] = [];
    const states: string[] = [];
    const send = async (id: string, changes: Record<string, unknown>, minute: number) => {
      const timeOfLastUpdate = `2026-11-14T10:${minute}:00Z`;
      const reply = await shop.sendGateway(
        record({ transaction: { id, ...changes }, timeOfLastUpdate }),
      );
      ids.push(reply.body.delivery_id);
      states.push(reply.body.status);
    };
    const capture = (amount: number) => ({ type: 'CAPTURE', targetTransactionId: '1', amount });
    await send('1', { type: 'AUTHORIZATION' }, 10);
    await send('2', capture(50), 11);
    await send('2', capture(50), 12);
    await send('3', capture(68), 13);
    await send('3', capture(68), 14);
    assert.deepEqual(states, ['processed', 'processed', 'stale', 'processed', 'stale']);
    const { transactions } = await explain(shop, order.order_id);
    const setters = [ids[1], ids[3]].map((deliveryId) => ({ kind: 'delivery', deliveryId }));
    for (const name of ['status', 'amount', 'captures']) {
      const { setBy, lost } = fieldOf(transactions, name);
      assert.deepEqual(setBy, setters, name);
      const repeats = lost.filter(({ rule }) => rule === 'also-reported');
      assert.deepEqual(
        repeats.map(({ source }) => 'deliveryId' in source && source.deliveryId).toSorted(),
        [ids[2], ids[4]].toSorted(),
        name,
      );
    }
  });

  test('shows a parked delivery when it arrived, and when it was applied', async () => {
    const invoice_id = 'WHY-PARKED';
    const payment = partnerPayment({ id: 'pay_WhyParked', notes: { invoice_id } });
    const parked = await send('payment.captured', payment);
    shop.service.advanceSeconds(60);
    const order = await shop.createOrder({ invoice_id });
    const { timeline } = await explain(shop, order.order_id);
    assert.deepEqual(
      timeline.entries.map((entry) => [entry.kind, idOf(entry), statusesOf(entry).length]),
      [
        ['delivery-received', parked, 0],
        ['order-created', undefined, 0],
        ['delivery-applied', parked, 2],
      ],
    );
  });

  test('names the captures that add up, and the refund that was placed', async () => {
    const order = await shop.createOrder();
    const record = (changes: Record<string, unknown>) => gatewayPaymentOf(order, changes);
    await shop.sendGateway(record({ transaction: { id: '1', type: 'AUTHORIZATION' } }));
    const parts = [];
    for (const [id, amount] of [
      ['2', 50],
      ['3', 68],
    ] as const) {
      const transaction = { id, type: 'CAPTURE', targetTransactionId: '1', amount };
      const timeOfLastUpdate = `2026-11-14T10:0${id}:00Z`;
      const reply = await shop.sendGateway(record({ transaction, timeOfLastUpdate }));
      parts.push({ kind: 'delivery', deliveryId: reply.body.delivery_id });
    }
    const refund = { id: '4', type: 'REFUND', targetTransactionId: '2', amount: 20 };
    const refunded = await shop.sendGateway(record({ transaction: refund }));
    const { transactions } = await explain(shop, order.order_id);
    const [payment, placed] = ['payment', 'refund'].map((type) =>
      transactions.filter((transaction) => transaction.type === type),
    );
    const amount = fieldOf(payment ?? [], 'amount');
    assert.deepEqual([amount.value, amount.rule, amount.setBy], [118, 'captured-total', parts]);
    const target = fieldOf(placed ?? [], 'payment_psp_id');
    assert.match(String(target.value), /\|2$/);
    assert.deepEqual(target.setBy, [{ kind: 'delivery', deliveryId: refunded.body.delivery_id }]);
  });

  test('lists what is held, and flags with what became of them', async () => {
    const order = await shop.createOrder();
    for (const id of ['1', '2']) {
      await shop.sendGateway(
        gatewayPaymentOf(order, { transaction: { id, type: 'AUTHORIZATION' } }),
      );
    }
    const capture = { id: '3', type: 'CAPTURE', amount: 118 };
    const held = await shop.sendGateway(gatewayPaymentOf(order, { transaction: capture }));
    const flagId = `${shop.account.accountId}/${order.order_id}:target_unknown`;
    shop.service.advanceSeconds(1);
    const closing = { id: flagId, actor: commandLine, note: 'Asked the bank.' };
    await resolveReview(shop.service.services, closing);
    const explanation = await explain(shop, order.order_id);
    const deliveryId = held.body.delivery_id;
    assert.deepEqual(explanation.held, [{ deliveryId, hold: 'ambiguous' }]);
    const flags = explanation.timeline.entries.filter(({ kind }) => kind.startsWith('flag-'));
    assert.deepEqual(
      flags.map(({ at: _at, ...flag }) => flag),
      [
        {
          kind: 'flag-raised',
          subject: null,
          flag: 'target_unknown',
          cause: { kind: 'delivery', deliveryId },
        },
        {
          kind: 'flag-resolved',
          subject: order.order_id,
          flag: 'target_unknown',
          actor: 'cli',
          note: 'Asked the bank.',
        },
      ],
    );
    assert.match(explanationText(explanation), /is applied to no transaction: it could belong to/);
  });

  test('is for one account only, and of an unknown order there is none', async () => {
    const order = await shop.createOrder();
    const other = await shop.service.createAccount();
    const name = { accountId: other.accountId, orderId: order.order_id };
    assert.equal(await explainOrder(shop.service.services, name, { masked: true }), undefined);
  });
});

test('a large order is explained page by page, and every entry is on one page', async () => {
  const many = paymentLimits.transactionsLoadedMax + 30;
  const order = await shop.createOrder();
  const sent: Reply[] = [];
  // A few at a time: a busy machine stores some of a flood for a retry, and those are on no timeline yet.
  for (let from = 0; from < 350; from += 25) {
    const some = Array.from({ length: 25 }, (_entry, at) => (from + at) % many).map((index, at) =>
      shop.sendPartner(
        captureOf(order, {
          id: `pay_Why${index}`,
          created_at: 1_794_700_000 + index,
          fee: from + at,
        }),
      ),
    );
    sent.push(...(await Promise.all(some)));
  }
  for (const reply of sent) assert.equal(reply.body.order_id, order.order_id);
  const pages = [await explain(shop, order.order_id)];
  for (let last = pages[0]; last?.timeline.olderUpTo; last = pages[0]) {
    pages.unshift(await explain(shop, order.order_id, { upTo: last.timeline.olderUpTo }));
  }
  assert.ok(pages.length > 1);
  const received = pages.flatMap(({ timeline }) =>
    timeline.entries.filter(({ kind }) => kind === 'delivery-received').map(idOf),
  );
  assert.deepEqual(received.toSorted(), sent.map(({ body }) => body.delivery_id).toSorted());
  const all = pages.flatMap(({ timeline }) => timeline.entries);
  const { rows } = await shop.service.database.query<{ cause: string }>({
    text: 'select cause from history where order_id = $1',
    values: [order.order_id],
  });
  const shownCauses = new Set(
    all.flatMap((entry) => ('effects' in entry ? [causeIdOf(entry)] : [])),
  );
  for (const { cause } of rows) assert.ok(shownCauses.has(cause), cause);
  assert.ok(pages.every(({ timeline }) => !timeline.isPruned));
  const changed = all.filter((entry) => 'effects' in entry && entry.effects.length > 0);
  assert.equal(new Set(changed.map(causeIdOf)).size, rows.length);
  assert.deepEqual(
    all.map(({ at }) => at.getTime()),
    all.map(({ at }) => at.getTime()).toSorted((a, b) => a - b),
  );

  const ids: string[] = [];
  for (let after: string | undefined, isMore = true; isMore; ) {
    const page = await explain(shop, order.order_id, { afterTransaction: after });
    assert.ok(page.transactions.length <= 20);
    assert.equal(page.transactionsTotal, many);
    ids.push(...page.transactions.map(({ transactionId }) => transactionId));
    after = page.nextTransactionsAfter ?? undefined;
    isMore = after !== undefined;
  }
  assert.deepEqual([ids.length, new Set(ids).size], [many, many]);
});

test('the history is paged by time, whatever the positions of its rows', async () => {
  const order = await shop.createOrder();
  for (const event of ['payment.failed', 'payment.authorized', 'payment.captured']) {
    const status = event.slice('payment.'.length);
    const notes = { svc_order_id: order.order_id };
    await send(event, partnerPayment({ id: 'pay_WhyTime', status, notes }));
  }
  // A change that waited for its lock has a later position than a newer one.
  const upTo = addSeconds(shop.service.services.clock(), 3600);
  await shop.service.database.query({
    text: 'update history set happened_at = $2 where order_id = $1 and position = 1',
    values: [order.order_id, upTo],
  });
  const name = { accountId: shop.account.accountId, orderId: order.order_id };
  const read = (until: Date) =>
    readHistoryPage(shop.service.database, name, { upTo: until, limit: 2 });
  const newest = await read(upTo);
  assert.equal(newest.rows[0]?.at.getTime(), upTo.getTime());
  const older = await read(new Date(upTo.getTime() - 1));
  assert.equal(older.rows.length, 2);
  // Row 1 is on the page before, and nothing was pruned.
  assert.equal(older.firstPosition, 1);
});

describe('the body of a delivery', () => {
  test('is shown beside what was understood, and masked for who may not see personal data', async () => {
    const order = await shop.createOrder();
    const payment = partnerPayment({
      id: 'pay_WhyBody',
      method: 'upi',
      vpa: 'asha@okbank',
      upi: { vpa: 'asha@okbank' },
      email: 'asha@example.com',
      contact: '+919876543210',
      description: 'For asha@example.com',
      notes: { svc_order_id: order.order_id, secret: 'Asha' },
    });
    const deliveryId = await send('payment.captured', payment);
    const name = { accountId: shop.account.accountId, deliveryId };
    const { services } = shop.service;
    const whole = await findDeliveryBody(services, name, { masked: false });
    assert.match(whole?.body ?? '', /asha@okbank.*asha@example\.com/);
    assert.deepEqual(upiIdOf(whole), 'asha@okbank');
    const masked = await findDeliveryBody(services, name, { masked: true });
    assert.doesNotMatch(JSON.stringify(masked), /asha@|9876543210|Asha/);
    const shown = JSON.parse(masked?.body ?? '').payload.payment.entity;
    assert.deepEqual(
      [shown.email, shown.contact, shown.vpa, shown.amount],
      ['a***a@example.com', '*********3210', 'a***a@okbank', payment.amount],
    );
    assert.deepEqual(upiIdOf(masked), 'a***a@okbank');
    assert.equal(masked?.delivery.state, 'processed');
    assert.doesNotMatch(JSON.stringify(masked), /signature/i);
  });

  test('is null once it was pruned, and of another account there is none', async () => {
    const order = await shop.createOrder();
    const deliveryId = (await shop.sendPartner(captureOf(order, { id: 'pay_WhyGone' }))).body
      .delivery_id;
    await shop.service.database.query({
      text: 'update deliveries set body = null, headers = null where delivery_id = $1',
      values: [deliveryId],
    });
    const { services } = shop.service;
    const name = { accountId: shop.account.accountId, deliveryId };
    const found = await findDeliveryBody(services, name, { masked: true });
    assert.deepEqual([found?.headers, found?.body, found?.understood], [null, null, null]);
    // What set the fields is stored with the transaction, so it is still known.
    const { transactions } = await explain(shop, order.order_id);
    assert.deepEqual(fieldOf(transactions, 'status').setBy, [{ kind: 'delivery', deliveryId }]);
    const other = await shop.service.createAccount();
    const foreign = { accountId: other.accountId, deliveryId };
    assert.equal(await findDeliveryBody(services, foreign, { masked: false }), undefined);
  });
});

test('an erased consumer is in no explanation and in no body', async () => {
  const own = await openShop(checkingAccounts);
  const order = await own.createOrder({ ...personalOrder, invoice_id: 'WHY-ERASED' });
  const payment = partnerPayment({
    method: 'upi',
    vpa: upiId,
    upi: { vpa: upiId },
    email: meera.email,
    notes: { svc_order_id: order.order_id },
  });
  const body = partnerEvent('payment.captured', { payment });
  const { delivery_id: deliveryId } = (await own.sendPartner(body)).body;
  await own.sendPartner(partnerEvent('refund.processed', { refund: partnerRefund(payment) }));
  await eraseIn(own.service, own.account.accountId, ['--email', meera.email]);
  const name = { accountId: own.account.accountId, deliveryId };
  const answers = [
    await explain(own, order.order_id, { masked: false }),
    await findDeliveryBody(own.service.services, name, { masked: false }),
  ];
  const text = JSON.stringify(answers).toLowerCase();
  for (const spelling of spellings) assert.ok(!text.includes(spelling.toLowerCase()), spelling);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

async function send(event: string, payment: Record<string, unknown>): Promise<string> {
  const reply = await shop.sendPartner(partnerEvent(event, { payment }));
  // The time in milliseconds is the order of the timeline.
  shop.service.advanceSeconds(1);
  return reply.body.delivery_id;
}

async function explain(
  { service, account }: Shop,
  orderId: string,
  options: Partial<Parameters<typeof explainOrder>[2]> = {},
) {
  const { accountId } = account;
  const all = { masked: true, ...options };
  const explained = await explainOrder(service.services, { accountId, orderId }, all);
  assert.ok(explained);
  return explained;
}

function idOf(entry: TimelineEntry): string | undefined {
  if (entry.kind === 'delivery-received') return entry.delivery.deliveryId;
  return 'deliveryId' in entry ? entry.deliveryId : undefined;
}

function causeIdOf(entry: TimelineEntry): string | undefined {
  return 'cause' in entry && entry.cause.kind === 'delivery' ? entry.cause.deliveryId : undefined;
}

function statusesOf(entry: TimelineEntry) {
  const effects = 'effects' in entry ? entry.effects : [];
  return effects.flatMap(({ transactionId, changes }) =>
    changes
      .filter(({ field }) => field === 'status')
      .map(({ from, to }) => [transactionId, from, to]),
  );
}

function fieldOf(
  transactions: ReadonlyArray<{ readonly fields: readonly ShownField[] }>,
  name: string,
): ShownField {
  const field = transactions[0]?.fields.find((each) => each.field === name);
  assert.ok(field);
  return field;
}

function upiIdOf(found: Awaited<ReturnType<typeof findDeliveryBody>>): string | undefined {
  const { understood } = found ?? {};
  return understood?.kind === 'notice'
    ? understood.notice.payment?.subPaymentMode?.upi_id
    : undefined;
}
