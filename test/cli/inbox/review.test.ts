/** An operator can list and resolve everything that needs review. Contract 6.9. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { retrySeconds } from '../../../src/domain/inbox/retry-schedule.ts';
import { flagIdOf } from '../../../src/domain/inbox/review.ts';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { listReview, type ReviewEntry } from '../../../src/use-cases/review/list-review.ts';
import { resolveReview } from '../../../src/use-cases/review/resolve-review.ts';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import {
  assertInvariants,
  captureOf,
  openShop,
  type Shop,
  shopOf,
} from '../../api/webhooks/shop.ts';
import { jsonCommands, runCommandHere } from '../../support/command-here.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';
import { insertDeliveries } from '../../support/many-deliveries.ts';
import { readSamples } from '../../support/metrics.ts';
import { prune } from '../../support/prune.ts';
import { dumpTables } from '../../support/test-database.ts';
import { type Reply, testMasterKeyHex } from '../../support/test-service.ts';

const shop = await openShop();
const { service } = shop;
const { services, database } = service;
const { accountId } = shop.account;
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const { runJson } = jsonCommands(env);
const note = 'agreed with the shop';

test('hundreds of dead deliveries are listed page by page, and resolved by one command', async () => {
  const { service: own, account } = await openShop();
  const ownEnv = { DATABASE_URL: own.url, MASTER_KEY: testMasterKeyHex };
  const run = async (...words: string[]) =>
    JSON.parse((await runCommandHere([...words, '--json'], ownEnv)).stdout);
  const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
  await insertDeliveries(own.database, account.accountId, 'dead', 700, old);
  await insertDeliveries(own.database, account.accountId, 'needs_review', 30, new Date());
  for (const list of ['review', 'inbox']) {
    const ids: string[] = [];
    const pages: number[] = [];
    for (let more: string[] = []; pages.length < 10; ) {
      const page = await run(list, 'list', '--limit', '250', ...more);
      const rows: Array<{ id: string; delivery_id: string }> = page.review ?? page.deliveries;
      ids.push(...rows.map((row) => row.id ?? row.delivery_id));
      pages.push(rows.length);
      if (page.next === undefined) break;
      more = ['--after', page.next];
    }
    assert.deepEqual(pages, [250, 250, 230], list);
    assert.equal(new Set(ids).size, 730, list);
  }
  const firstOnly = await run('review', 'list', '--limit', '30', '--account', account.accountId);
  assert.ok(firstOnly.review.every((row: { reason: string }) => !row.reason.startsWith('dead')));
  assert.equal(firstOnly.next, `needs_review:${account.accountId}/${firstOnly.review.at(-1).id}`);

  const many = ['inbox', 'resolve', '--state', 'dead', '--note', note];
  for (const words of [
    many,
    [...many, '--older-than', 'week'],
    [...many, '--older-than', '7d', 'x'],
  ]) {
    assert.equal((await runCommandHere(words, ownEnv)).code, 1, words.join(' '));
  }
  assert.equal((await run(...many, '--older-than', '9d')).resolved, 0);
  const outcome = await run(...many, '--older-than', '7d', '--account', account.accountId);
  assert.deepEqual([outcome.state, outcome.note, outcome.resolved], ['dead', note, 700]);
  assert.equal((await run(...many, '--older-than', '7d')).resolved, 0);
  const { rows } = await own.database.query({
    text: `select (select count(*) from deliveries where state = 'resolved') as resolved,
                  (select count(*) from delivery_references) as references,
                  (select count(distinct object) from audit where action = 'delivery.resolved'
                      and actor = 'cli' and note = $1) as audited`,
    values: [note],
  });
  assert.deepEqual(rows, [{ resolved: 700, references: 60, audited: 700 }]);
  assert.equal((await run('review', 'list')).review.length, 30);
});

test('a page that does not exist and a limit that is no number are refused', async () => {
  for (const words of [
    ['--after', 'nonsense'],
    ['--after', 'what:'],
    ['--limit', '0'],
    ['--limit', 'x'],
  ]) {
    assert.equal(
      (await runCommandHere(['review', 'list', ...words], env)).code,
      1,
      words.join(' '),
    );
  }
  assert.equal((await runCommandHere(['inbox', 'list', '--after', 'dlv_1'], env)).code, 1);
});

test('without entries the list is empty', async () => {
  assert.deepEqual(await runJson(['review', 'list']), { review: [] });
});

test('every kind of entry that needs an operator is listed once, with reason, advice and time', async () => {
  const startedAt = Date.now();
  const low = await shop.createOrder();
  await shop.sendPartner(captureOf(low, { amount: 100 }));
  const over = await overRefunded(shop);
  const paid = await paidOrder();
  const dispute = await shop.sendPartner(disputeOf(paid.payment));
  const reused = await reusedEvent(shop);
  const dead = await deadDelivery(shop, 'NOBODY-1');
  const conflict = await shop.sendPartner(
    captureOf(low, { notes: { svc_order_id: low.order_id, invoice_id: paid.invoice_id } }),
  );

  const { review } = await runJson(['review', 'list']);
  const flagOn = (subject: string, flag: string) => `${accountId}/${subject}:${flag}`;
  const lowTransaction = await transactionOf(low.order_id);
  const expected = [
    [flagOn(lowTransaction, 'amount_mismatch'), 'flag', low.order_id, lowTransaction],
    [flagOn(over, 'over_refunded'), 'flag', over, null],
    [dispute.body.delivery_id, 'delivery', paid.order_id, null],
    [reused.body.delivery_id, 'delivery', reused.body.order_id, null],
    [dead.body.delivery_id, 'delivery', null, null],
    [conflict.body.delivery_id, 'delivery', null, null],
  ];
  type Row = Record<string, string>;
  const shown = review.map((row: Row) => [row.id, row.kind, row.order_id, row.transaction_id]);
  assert.deepEqual(shown.toSorted(), expected.toSorted());
  const reasons = Object.fromEntries(review.map((row: Row) => [row.id, row.reason]));
  assert.equal(reasons[flagOn(over, 'over_refunded')], 'over_refunded');
  assert.equal(reasons[dispute.body.delivery_id], 'dispute');
  assert.equal(reasons[reused.body.delivery_id], 'event_id_reused');
  assert.equal(reasons[dead.body.delivery_id], 'dead: what it names is not known yet');
  for (const row of review as Row[]) {
    assert.deepEqual(Object.keys(row), [
      'id',
      'kind',
      'account_id',
      'order_id',
      'transaction_id',
      'reason',
      'advice',
      'since',
    ]);
    assert.equal(row.account_id, accountId);
    assert.match(row.advice ?? '', /^[A-Z].+\.$/);
    assert.ok(Date.parse(row.since ?? '') >= startedAt, row.since);
  }
  const times = review.map((row: Row) => row.since);
  assert.deepEqual(times, times.toSorted());
});

test('`since` is when the flag was raised, not when the payment was made', async () => {
  const { order_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id }, amount: 100 });
  await shop.sendPartner(partnerEvent('payment.failed', { payment }));
  service.advanceSeconds(3_600);
  const raisedAt = services.clock().getTime();
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const [entry] = await openOf(order_id);
  assert.ok(Math.abs((entry?.since.getTime() ?? 0) - raisedAt) < 30_000, String(entry?.since));
});

test('a resolved flag is no longer listed, its delivery is resolved with it, and the audit log has a row', async () => {
  const { order_id } = await shop.createOrder();
  const reply = await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const transactionId = await transactionOf(order_id);
  const [entry] = await openOf(order_id);
  const before = (await shop.enquire({ order_id })).body;
  const resolved = await runJson(['review', 'resolve', entry?.id ?? '', '--note', note]);
  assert.deepEqual(
    { ...resolved, resolved_at: '' },
    {
      id: entry?.id,
      kind: 'flag',
      resolved_at: '',
      note,
      resolved_deliveries: [reply.body.delivery_id],
    },
  );
  assert.deepEqual(await openOf(order_id), []);
  const delivery = await shop.findDelivery(reply);
  assert.deepEqual([delivery?.state, delivery?.flags], ['resolved', ['amount_mismatch']]);
  assert.deepEqual((await shop.enquire({ order_id })).body, before, 'the fold is not touched');
  const { rows } = await database.query({
    text: `select account_id, actor, action, object, note, details from audit where object = $1`,
    values: [entry?.id],
  });
  assert.deepEqual(rows, [
    {
      account_id: accountId,
      actor: 'cli',
      action: 'flag.resolved',
      object: entry?.id,
      note,
      details: {
        flag: 'amount_mismatch',
        order_id,
        transaction_id: transactionId,
        deliveries: [reply.body.delivery_id],
      },
    },
  ]);
  const again = await runCommandHere(
    ['review', 'resolve', entry?.id ?? '', '--note', 'again'],
    env,
  );
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /^The flag amount_mismatch on o_\S+ was resolved before\./);
});

test('a delivery stays open while one of its flags is open', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf(await shop.createOrder()), { eventId: 'twoflags000001' });
  const low = captureOf({ order_id }, { amount: 100 });
  const reply = await shop.sendPartner(low, { eventId: 'twoflags000001' });
  const open = await openOf(order_id);
  assert.deepEqual(open.map(({ kind, reason }) => [kind, reason]).sort(), [
    ['delivery', 'event_id_reused'],
    ['flag', 'amount_mismatch'],
  ]);
  const flag = open.find(({ kind }) => kind === 'flag');
  await resolve(flag?.id);
  assert.equal((await shop.findDelivery(reply))?.state, 'needs_review');
  await resolve(reply.body.delivery_id);
  assert.deepEqual(await openOf(order_id), []);
});

test('a flag of two payments is resolved for each of them', async () => {
  const { order_id } = await shop.createOrder();
  const replies: Reply[] = [];
  for (let count = 0; count < 3; count += 1) {
    replies.push(
      await shop.sendPartner(captureOf({ order_id }, { created_at: 1794700000 + count })),
    );
  }
  const flags = await openOf(order_id);
  assert.deepEqual(
    flags.map(({ reason }) => reason),
    ['duplicate_capture', 'duplicate_capture'],
  );
  await resolve(flags[0]?.id);
  assert.deepEqual(
    (await openOf(order_id)).map(({ id }) => id),
    [flags[1]?.id],
  );
  assert.deepEqual(await statesOf(replies), ['processed', 'needs_review', 'needs_review']);
  await resolve(flags[1]?.id);
  assert.deepEqual(await statesOf(replies), ['processed', 'resolved', 'resolved']);
});

test('inbox resolve resolves a delivery that needs review; a repeat and a replay leave it resolved', async () => {
  const { payment, order_id } = await paidOrder();
  const event = disputeOf(payment);
  const reply = await shop.sendPartner(event);
  const id = reply.body.delivery_id;
  const resolved = await runJson(['inbox', 'resolve', id, '--note', note]);
  assert.deepEqual([resolved.kind, resolved.resolved_deliveries], ['delivery', [id]]);
  const closed = await shop.findDelivery(reply);
  assert.deepEqual([closed?.state, closed?.order_id], ['resolved', order_id]);
  assert.deepEqual(await openOf(order_id), []);
  assert.equal((await shop.sendPartner(event)).body.status, 'duplicate');
  await retryDelivery(services, accountId, id, 'requested');
  assert.deepEqual(await shop.findDelivery(reply), closed);
  const { deliveries } = await runJson(['inbox', 'list', '--state', 'resolved']);
  assert.ok(deliveries.some((row: { delivery_id: string }) => row.delivery_id === id));
});

test('a resolved dead delivery is not unparked; a replay still applies it once its order exists', async () => {
  const dead = await deadDelivery(shop, 'CLOSED-1');
  const id = dead.body.delivery_id;
  const countReferences = async () => {
    const text = 'select from delivery_references where delivery_id = $1';
    return (await database.query({ text, values: [id] })).rowCount;
  };
  assert.notEqual(await countReferences(), 0);
  await resolve(id);
  assert.equal(await countReferences(), 0);
  await retryDelivery(services, accountId, id, 'requested');
  assert.equal((await shop.findDelivery(dead))?.state, 'resolved');
  assert.equal(await countReferences(), 0);
  const { order_id } = await shop.createOrder({ invoice_id: 'CLOSED-1' });
  await sweep(services);
  assert.equal((await shop.findDelivery(dead))?.state, 'resolved');
  const { replayed } = await runJson(['inbox', 'replay', id]);
  assert.deepEqual([replayed[0].state, replayed[0].order_id], ['processed', order_id]);
});

test('a flag that is raised again after it was resolved is listed again with its delivery', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const [entry] = await openOf(order_id);
  await resolve(entry?.id);
  service.advanceSeconds(60);
  // Like a fold that removes the flag and raises it again.
  await database.query({
    text: `update deliveries set state = 'needs_review', finished_at = $2 where order_id = $1`,
    values: [order_id, services.clock()],
  });
  const open = await openOf(order_id);
  assert.deepEqual(
    open.map(({ kind, reason }) => [kind, reason]),
    [['delivery', 'amount_mismatch']],
  );
  await resolve(open[0]?.id);
});

test('an id that cannot be resolved is refused with a sentence, and nothing changes', async () => {
  const { order_id } = await shop.createOrder();
  const processed = await shop.sendPartner(captureOf({ order_id }));
  const parked = await shop.sendPartner(captureOf({ order_id: 'o_0000000000000000' }));
  const transactionId = await transactionOf(order_id);
  const unknown = `dlv_${accountId.slice(4)}0000000000000000`;
  const before = await dumpTables(database);
  const cases: [id: string, words: RegExp][] = [
    [processed.body.delivery_id, /is processed: only one that is needs_review or dead can be/],
    [parked.body.delivery_id, /is parked: only one that is needs_review or dead can be/],
    [unknown, /^There is no delivery dlv_/],
    [`${accountId}/${transactionId}:amount_mismatch`, /^There is no flag amount_mismatch on o_/],
    [`${accountId}/o_0000000000000000:over_refunded`, /^There is no flag over_refunded on o_/],
    [`acc_0000000000000000/${transactionId}:chargeback`, /^There is no flag/],
    [`${accountId}/${transactionId}:no_such_flag`, /is neither the id of a delivery nor of a flag/],
    ['', /is neither/],
    ['nonsense', /is neither/],
  ];
  for (const [id, words] of cases) {
    const outcome = await resolveReview(services, { id, note, actor: commandLine });
    assert.match('refusal' in outcome ? outcome.refusal : 'resolved', words);
  }
  const { code, stdout, stderr } = await runCommandHere(
    ['inbox', 'resolve', processed.body.delivery_id, '--note', note, '--json'],
    env,
  );
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /is processed/);
  assert.deepEqual(await dumpTables(database), before);
});

test('a note is required, has 1 to 1,024 characters, and no card number is stored with it', async () => {
  const { payment } = await paidOrder();
  const { body } = await shop.sendPartner(disputeOf(payment));
  const id = body.delivery_id;
  const before = await dumpTables(database);
  for (const words of [[], ['--note', ''], ['--note', '   '], ['--note', 'x'.repeat(1_025)]]) {
    const { code, stdout, stderr } = await runCommandHere(['review', 'resolve', id, ...words], env);
    assert.deepEqual([code, stdout], [1, ''], words.join(' '));
    assert.match(stderr, /note/);
  }
  assert.deepEqual(await dumpTables(database), before);
  const outcome = await resolveReview(services, {
    id,
    note: `${'x'.repeat(900)} card 4111111111111111`,
    actor: commandLine,
  });
  assert.ok(!('refusal' in outcome));
  assert.ok(outcome.note.endsWith('card 411111******1111'), outcome.note);
});

test('when ten operators resolve one entry concurrently, one succeeds and the others are refused', async () => {
  const { order_id } = await shop.createOrder();
  await shop.sendPartner(captureOf({ order_id }, { amount: 100 }));
  const { payment } = await paidOrder();
  const dispute = await shop.sendPartner(disputeOf(payment));
  const [flag] = await openOf(order_id);
  for (const id of [flag?.id ?? '', dispute.body.delivery_id]) {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, person) =>
        resolveReview(services, { id, note, actor: { ...commandLine, name: `person ${person}` } }),
      ),
    );
    assert.equal(outcomes.filter((outcome) => !('refusal' in outcome)).length, 1);
    const { rows } = await database.query({
      text: 'select actor from audit where object = $1',
      values: [id],
    });
    assert.equal(rows.length, 1);
  }
});

test('a flag can be resolved while copies of its delivery and other deliveries of the order arrive', async () => {
  for (let round = 0; round < 5; round += 1) {
    const order = await shop.createOrder();
    const event = captureOf(order, { amount: 100 });
    await shop.sendPartner(event);
    const [flag] = await openOf(order.order_id);
    const [outcome, ...replies] = await Promise.all([
      resolveReview(services, { id: flag?.id ?? '', note, actor: commandLine }),
      ...Array.from({ length: 5 }, () => shop.sendPartner(event)),
      ...Array.from({ length: 3 }, () => shop.sendPartner(captureOf(order))),
    ]);
    assert.ok(!('refusal' in outcome));
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    const left = await openOf(order.order_id);
    assert.deepEqual([...new Set(left.map(({ reason }) => reason))], ['duplicate_capture']);
  }
});

test('--account lists one account only, and ids of two accounts do not mix', async () => {
  const other = shopOf(service, await service.createAccount());
  const { order_id } = await other.createOrder();
  await other.sendPartner(captureOf({ order_id }, { amount: 100 }));
  await other.sendPartner(disputeOf(partnerPayment({ notes: { svc_order_id: order_id } })));
  const { review } = await runJson(['review', 'list', '--account', other.account.accountId]);
  type Row = Record<string, string>;
  assert.deepEqual(review.map((row: Row) => [row.account_id, row.reason]).toSorted(), [
    [other.account.accountId, 'amount_mismatch'],
    [other.account.accountId, 'dispute'],
  ]);
  const subject = review.find((row: Row) => row.kind === 'flag').transaction_id;
  const wrong = flagIdOf({ accountId, subject, flag: 'amount_mismatch' });
  const outcome = await resolveReview(services, { id: wrong, note, actor: commandLine });
  assert.ok('refusal' in outcome);
  const unknown = await runCommandHere(['review', 'list', '--account', 'acc_nobody'], env);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /^There is no account acc_nobody\./);
});

test('more entries than a page are all listed', async () => {
  const big = await openShop();
  const { order_id } = await big.createOrder();
  const { body } = await big.sendPartner(captureOf({ order_id }, { amount: 100 }));
  await big.service.database.query({
    text: `insert into deliveries
           select d.account_id, d.delivery_id || n, d.provider, d.delivery_key || n, 'dead', d.why,
                  d.flags, d.headers, d.body, d.expected_merchant, null, d.tries,
                  d.next_try_at, d.received_at, null
             from deliveries d, generate_series(1, 450) n where d.delivery_id = $1`,
    values: [body.delivery_id],
  });
  await big.service.database.query({
    text: `insert into transactions
           select t.account_id, t.transaction_id || n, t.order_id, t.type, t.provider, 'psp' || n, t.status,
                  t.amount, t.currency, t.started_at, t.recorded_at, t.finished_at, t.fields, t.flags,
                  t.start, t.next_poll_at, t.polled_at, t.polls, t.notices, t.paid_by
             from transactions t, generate_series(1, 450) n`,
  });
  const entries = await collect(big);
  assert.equal(entries.length, 451 + 450);
  assert.equal(new Set(entries.map(({ id }) => id)).size, 451 + 450);
});

test('entries that need an operator are found among many others by partial indexes', async () => {
  const big = await openShop();
  await overRefunded(big);
  await big.sendPartner(captureOf(await big.createOrder(), { amount: 100 }));
  const copy = (table: string, changes: string) =>
    big.service.database.query({
      text: `insert into ${table}
             select (jsonb_populate_record(one, jsonb_build_object(${changes}))).*
               from ${table} one, generate_series(1, 2000) n
              where one.ctid = (select ctid from ${table} limit 1)`,
    });
  await copy(
    'orders',
    `'order_id', order_id || n, 'invoice_id', invoice_id || n, 'flags', '[]'::jsonb`,
  );
  await copy(
    'transactions',
    `'transaction_id', transaction_id || n, 'psp_transaction_id', 'psp' || n, 'flags', '[]'::jsonb`,
  );
  await copy(
    'deliveries',
    `'delivery_id', delivery_id || n, 'delivery_key', n, 'event_id', null, 'state', 'processed'`,
  );
  await big.service.database.query({ text: 'analyze' });
  const plans: [index: string, text: string][] = [
    [
      'deliveries_by_state',
      `select delivery_id, why from deliveries where state = 'dead'
          and (account_id, delivery_id) > ('', '') order by account_id, delivery_id limit 200`,
    ],
    [
      'orders_flagged',
      `select order_id, created_at from orders where flags <> '{}'
          and (account_id, order_id) > ('', '') order by account_id, order_id limit 200`,
    ],
    [
      'transactions_flagged',
      `select transaction_id, finished_at from transactions where flags <> '{}'
          and (account_id, order_id, transaction_id) > ('', '', '')
        order by account_id, order_id, transaction_id limit 200`,
    ],
  ];
  for (const [index, text] of plans) {
    const { rows } = await big.service.database.query<Record<string, string>>({
      text: `explain ${text}`,
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, new RegExp(`(Index|Index Only|Bitmap Index) Scan (using|on) ${index}`));
  }
});

test('the body of a resolved delivery is pruned by age like that of any finished one', async () => {
  const other = await openShop();
  const order = await other.createOrder();
  const open = await other.sendPartner(captureOf(order, { amount: 100 }));
  const closed = await other.sendPartner(captureOf(order, { amount: 200 }));
  const outcome = await resolveReview(other.service.services, {
    id: closed.body.delivery_id,
    note,
    actor: commandLine,
  });
  assert.ok(!('refusal' in outcome));
  other.service.advanceSeconds(91 * 24 * 3600);
  await prune(other.service.services);
  const { rows } = await other.service.database.query({
    text: 'select delivery_id, body is null as is_pruned from deliveries order by state',
  });
  assert.deepEqual(rows, [
    { delivery_id: open.body.delivery_id, is_pruned: false },
    { delivery_id: closed.body.delivery_id, is_pruned: true },
  ]);
});

test('metrics count deliveries that needed review, died, expired and were resolved', async () => {
  const other = await openShop();
  const read = async () => {
    const samples = readSamples(String((await other.service.call('/metrics')).body));
    return {
      ...Object.fromEntries(
        ['needs_review', 'dead', 'expired'].map((state) => [
          state,
          samples.get(`delivery_transitions_total{state="${state}"}`),
        ]),
      ),
      delivery: samples.get('reviews_resolved_total{kind="delivery"}'),
      flag: samples.get('reviews_resolved_total{kind="flag"}'),
    };
  };
  const none = { needs_review: 0, dead: 0, expired: 0, delivery: 0, flag: 0 };
  assert.deepEqual(await read(), none);
  const order = await other.createOrder();
  const event = captureOf(order, { amount: 100 });
  await Promise.all(Array.from({ length: 5 }, () => other.sendPartner(event)));
  await other.sendPartner(event);
  assert.deepEqual(await read(), { ...none, needs_review: 1 });
  const later = partnerPayment({ notes: { invoice_id: 'LATER-1' }, amount: 100 });
  await other.sendPartner(partnerEvent('payment.captured', { payment: later }));
  await other.createOrder({ invoice_id: 'LATER-1' });
  assert.deepEqual(await read(), { ...none, needs_review: 2 });
  const [first, second] = [await deadDelivery(other, 'A'), await deadDelivery(other, 'B')];
  assert.deepEqual(await read(), { ...none, needs_review: 2, dead: 2 });
  const env = { DATABASE_URL: other.service.url, MASTER_KEY: testMasterKeyHex };
  const words = ['inbox', 'resolve', first.body.delivery_id, '--note', note];
  assert.equal((await runCommandHere(words, env)).code, 0);
  const [flag] = (await collect(other)).filter(({ kind }) => kind === 'flag');
  assert.equal(
    (await runCommandHere(['review', 'resolve', flag?.id ?? '', '--note', note], env)).code,
    0,
  );
  other.service.advanceSeconds(31 * 24 * 3600);
  await prune(other.service.services);
  assert.equal((await other.findDelivery(second))?.state, 'expired');
  assert.deepEqual(await read(), { needs_review: 2, dead: 2, expired: 1, delivery: 1, flag: 1 });
});

test('the invariants hold after all other tests', () => assertInvariants(shop));

async function resolve(id = ''): Promise<void> {
  const outcome = await resolveReview(services, { id, note, actor: commandLine });
  assert.ok(!('refusal' in outcome), JSON.stringify(outcome));
}

async function collect({ service }: Shop): Promise<ReviewEntry[]> {
  const entries: ReviewEntry[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await listReview(service.services, { after: after || undefined, limit: 200 });
    entries.push(...(page?.entries ?? []));
    after = page?.next;
  }
  return entries;
}

async function openOf(orderId: string): Promise<ReviewEntry[]> {
  return (await collect(shop)).filter((entry) => entry.orderId === orderId);
}

async function paidOrder() {
  const { order_id, invoice_id } = await shop.createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  return { order_id, invoice_id, payment };
}

function disputeOf(payment: Record<string, unknown>) {
  const dispute = { id: `disp_${partnerId('pay').slice(4)}`, payment_id: payment.id };
  return partnerEvent('payment.dispute.escalated', { payment, dispute });
}

/** A refund of more than was paid flags the order. */
async function overRefunded({ createOrder, sendPartner }: Shop): Promise<string> {
  const { order_id } = await createOrder();
  const payment = partnerPayment({ notes: { svc_order_id: order_id } });
  await sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment, { amount: 99_900 });
  const reply = await sendPartner(partnerEvent('refund.processed', { payment, refund }));
  assert.equal(reply.body.status, 'needs_review');
  return order_id;
}

async function reusedEvent({ createOrder, sendPartner }: Shop): Promise<Reply> {
  const eventId = 'reviewreused01';
  await sendPartner(captureOf(await createOrder()), { eventId });
  return sendPartner(captureOf(await createOrder()), { eventId });
}

async function deadDelivery({ account, service, sendGateway }: Shop, id: string): Promise<Reply> {
  const reply = await sendGateway(gatewayBody({ order: { id } }));
  for (const seconds of retrySeconds) {
    service.advanceSeconds(seconds);
    await retryDelivery(service.services, account.accountId, reply.body.delivery_id, 'due');
  }
  return reply;
}

async function transactionOf(order_id: string): Promise<string> {
  const { body } = await shop.enquire({ order_id });
  return body.transaction[0].svc_transaction_id;
}

async function statesOf(replies: readonly Reply[]): Promise<Array<string | undefined>> {
  const states = [];
  for (const reply of replies) states.push((await shop.findDelivery(reply))?.state);
  return states;
}
