/** The commands for events: lists, one with its attempts, and sending again. Contract 12.7. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widthOf } from '../../../src/cli/framework/screen.ts';
import { commandLine } from '../../../src/domain/audit.ts';
import { createEventDeliveries } from '../../../src/use-cases/events/deliver-events.ts';
import { createEndpoint } from '../../../src/use-cases/events/endpoints.ts';
import { captureOf, shopOf } from '../../api/webhooks/shop.ts';
import { jsonCommands, type Printed, runCommandHere } from '../../support/command-here.ts';
import { addEndpoint, answerStatus, startShopEndpoint } from '../../support/shop-endpoint.ts';
import {
  startTestService,
  type TestAccount,
  testMasterKeyHex,
} from '../../support/test-service.ts';

const service = await startTestService();
const env = { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
const { refusalOf, runJson } = jsonCommands(env);
// In the past, because the command line has its own clock.
service.advanceSeconds(-7200);

const [healthy, failing, gone] = [
  await startShopEndpoint(),
  await startShopEndpoint(),
  await startShopEndpoint(),
];
failing.answer = answerStatus(500);
gone.answer = answerStatus(410);
const tea = await service.createAccount();
const coffee = await service.createAccount();
const good = await createEndpoint(
  service.services,
  tea.accountId,
  {
    url: healthy.url,
    events: [],
  },
  commandLine,
);
const bad = await addEndpoint(service, tea.accountId, failing.url);
const closed = await addEndpoint(service, coffee.accountId, gone.url);
/** A second apart, because the time in an id has seconds. */
const orders: string[] = [];
for (const account of [tea, coffee, tea]) {
  orders.push(await capture(account));
  service.advanceSeconds(1);
}
const deliveries = createEventDeliveries(service.services);
await deliveries.startDue();
await deliveries.stop();

test('list prints a row for each event and endpoint, those of the newest order first', async () => {
  const { events, next } = await runJson('event list');
  assert.equal(next, undefined);
  // Two events of each order; tea has two endpoints.
  const expected = [orders[2], orders[1], orders[0]].flatMap((orderId) =>
    [2, 1].flatMap((sequence) =>
      (orderId === orders[1] ? [closed] : [good, bad].sort(newestFirst)).map(
        ({ accountId, endpointId }) => [
          `evt_${accountId.slice(4)}${orderId?.slice(2)}-${sequence}`,
          endpointId,
          sequence === 1 ? 'payment_success' : 'order_completed',
          sequence,
          orderId,
          stateOf(endpointId),
          1,
        ],
      ),
    ),
  );
  assert.deepEqual(
    events.map((one: Printed) => [
      one.event_id,
      one.endpoint_id,
      one.event_type,
      one.sequence,
      one.svc_order_id,
      one.state,
      one.attempts,
    ]),
    expected,
  );
  for (const one of events) {
    assert.deepEqual(Object.keys(one).slice(0, 8), [
      'event_id',
      'endpoint_id',
      'event_type',
      'sequence',
      'svc_order_id',
      'state',
      'attempts',
      'next_attempt_at',
    ]);
    assert.equal(one.next_attempt_at !== null, one.state === 'pending');
  }
});

test('list in pages gives every row once, over several accounts and within one order', async () => {
  const rowsOf = ({ events }: Printed) =>
    events.map((one: Printed) => `${one.event_id}/${one.endpoint_id}`);
  for (const filter of [
    '',
    ` --order ${orders[2]}`,
    ' --state pending',
    ` --account ${tea.accountId}`,
  ]) {
    const all = rowsOf(await runJson(`event list${filter}`));
    for (const limit of filter.includes('--order') ? [1] : [3]) {
      const paged: string[] = [];
      let after = '';
      do {
        const page = await runJson(`event list${filter} --limit ${limit}${after}`);
        assert.ok(page.events.length <= limit);
        paged.push(...rowsOf(page));
        after = page.next === undefined ? '' : ` --after ${page.next}`;
      } while (after !== '');
      assert.deepEqual(paged, all, `${filter} ${limit}`);
    }
  }
});

test('list by order, state, account and time', async () => {
  for (const [words, count] of [
    [`--order ${orders[0]}`, 4],
    [`--order ${orders[1]}`, 2],
    [`--order ${orders[1]} --account ${tea.accountId}`, 0],
    ['--order o_0000000000000000', 0],
    ['--state delivered', 4],
    ['--state pending', 4],
    ['--state undelivered', 2],
    [`--state undelivered --account ${tea.accountId}`, 0],
    [`--account ${coffee.accountId}`, 2],
    ['--since 3h', 10],
    ['--since 1h', 0],
  ] as const) {
    const { events } = await runJson(`event list ${words}`);
    assert.equal(events.length, count, words);
  }
});

test('list is a table that fits the terminal', async () => {
  const { stdout } = await runCommandHere(['event', 'list', '--limit', '3'], env);
  assert.match(
    stdout,
    /^EVENT +TYPE +STATE +ATTEMPTS +AGE +NEXT +ENDPOINT\nevt_\w{32}-2 +order_completed /,
  );
  assert.match(stdout, /\n\nThere are more: add --after evt_\w{32}-\d\/ep_\w{32}\n$/);
  const narrow = await runCommandHere(['event', 'list'], { ...env, NO_COLOR: '1' }, 80);
  for (const line of narrow.stdout.split('\n')) assert.ok(widthOf(line) <= 80, line);
});

test('show prints the event, its body as it was sent, and every attempt', async () => {
  const sent = healthy.received.find(
    ({ body }) => body.svc_order_id === orders[0] && body.sequence === 1,
  );
  assert.ok(sent);
  const eventId = String(sent.headers['webhook-id']);
  const { event, attempts } = await runJson(`event show ${eventId}`);
  const { occurred_at, svc_transaction_id, ...others } = event;
  assert.equal(occurred_at, sent.body.occurred_at);
  assert.equal(svc_transaction_id, sent.body.svc_transaction_id);
  assert.deepEqual(others, {
    event_id: eventId,
    account_id: tea.accountId,
    event_type: 'payment_success',
    sequence: 1,
    svc_order_id: orders[0],
    status: 'succeeded',
    body: sent.text,
    body_pruned: false,
  });
  assert.deepEqual(
    attempts
      .map(({ at, duration_ms, ...attempt }: Printed) => {
        assert.ok(Date.parse(at) > 0 && Number.isInteger(duration_ms));
        return attempt;
      })
      .sort((one: Printed, other: Printed) => one.status - other.status),
    [
      { endpoint_id: good.endpointId, status: 200, response: 'ok' },
      { endpoint_id: bad.endpointId, status: 500, response: 'status 500' },
    ],
  );
  const { stdout } = await runCommandHere(['event', 'show', eventId], env);
  assert.match(stdout, /^event_id +evt_/);
  assert.match(stdout, /\n\nAttempts:\nAT +STATUS +MS +ENDPOINT +ANSWER\n/);
  assert.match(stdout, new RegExp(` 500 +\\d+ +${bad.endpointId} +status 500\n`));
});

test('resend makes an event due again, whatever became of it', async () => {
  const [first] = (await runJson(`event list --order ${orders[0]} --state delivered`)).events;
  const resent = await runJson(`event resend ${first.event_id} --endpoint ${good.endpointId}`);
  assert.deepEqual(resent, { resent: 1 });
  const { events } = await runJson(`event list --order ${orders[0]} --state pending`);
  const shown = events.find(
    (one: Printed) => one.event_id === first.event_id && one.endpoint_id === good.endpointId,
  );
  assert.equal(shown.attempts, 1);
  assert.ok(Date.parse(shown.next_attempt_at) <= Date.now());
  // To all endpoints that have it.
  assert.deepEqual(await runJson(`event resend ${first.event_id}`), { resent: 2 });
  const since = new Date(Date.now() - 3 * 3_600_000).toISOString();
  assert.deepEqual(await runJson(`event resend --since ${since} --endpoint ${good.endpointId}`), {
    resent: 4,
  });
  assert.deepEqual(
    await runJson('event resend --since 3h'),
    { resent: 8 },
    'not to the disabled one',
  );
  assert.deepEqual(await runJson('event resend --since 1m'), { resent: 0 });
  const text = await runCommandHere(['event', 'resend', first.event_id], env);
  assert.deepEqual([text.code, text.stdout], [0, 'resent  2\n']);
});

test('what was pruned is not sent again, and says so', async () => {
  const [{ event_id, sequence }] = (await runJson(`event list --order ${orders[0]}`)).events;
  await service.database.query({
    text: 'update events set body = null where order_id = $1 and sequence = $2',
    values: [orders[0], sequence],
  });
  assert.equal(
    await refusalOf(`event resend ${event_id}`),
    `Event ${event_id} cannot be sent again: its body was pruned by age (EVENT_DAYS).`,
  );
  const { event } = await runJson(`event show ${event_id}`);
  assert.deepEqual([event.body, event.body_pruned], [null, true]);
  assert.deepEqual(await runJson(`event resend --since 3h --endpoint ${good.endpointId}`), {
    resent: 3,
    not_resent_body_pruned: 1,
  });
});

test('a mistake is answered with one sentence that helps', async () => {
  const unknown = 'evt_00000000000000000000000000000000-1';
  const [ofCoffee] = (await runJson(`event list --order ${orders[1]}`)).events;
  const [ofTea] = (await runJson(`event list --order ${orders[2]}`)).events;
  const needed = `Endpoint ${closed.endpointId} is disabled (The endpoint answered 410 Gone.): enable it first, on the dashboard or with "endpoint enable ${closed.endpointId}".`;
  for (const [words, sentence] of [
    ['show', 'Give an event id.'],
    ['show nonsense', '"nonsense" is not an event id: "event list" prints them.'],
    ['show evt_00000000000000000000000000000000-0', /^"evt_0+-0" is not an event id/],
    [`show ${unknown}`, `There is no event ${unknown}.`],
    ['list --order INV-1', '--order must be an order id, such as "order list" prints.'],
    ['list --state sent', '--state must be one of pending, delivered, undelivered.'],
    ['list --account acc_1', 'There is no account acc_1.'],
    ['list --after nonsense', '--after must be the "next" of the last page.'],
    [`list --after ${unknown}`, '--after must be the "next" of the last page.'],
    ['resend', 'Give an event id, or a time with --since TIME.'],
    [`resend ${unknown} --since 1h`, 'Give an event id, or a time with --since TIME.'],
    ['resend --since soon', /^--since must be a duration such as 24h/],
    ['resend nonsense', '"nonsense" is not an event id: "event list" prints them.'],
    [`resend ${unknown}`, `There is no event ${unknown}.`],
    [`resend ${ofTea.event_id} --endpoint nonsense`, /^"nonsense" is not an endpoint id/],
    [`resend ${ofCoffee.event_id}`, needed],
    [`resend ${ofCoffee.event_id} --endpoint ${closed.endpointId}`, needed],
    [`resend --since 1h --endpoint ${closed.endpointId}`, needed],
    [
      `resend ${ofTea.event_id} --endpoint ${closed.endpointId}`,
      `There is no endpoint ${closed.endpointId}: see the list of endpoints.`,
    ],
  ] as const) {
    const refusal = await refusalOf(`event ${words}`);
    if (typeof sentence === 'string') assert.equal(refusal, sentence, words);
    else assert.match(refusal, sentence, words);
  }
});

test('an event whose endpoint was deleted is shown, and not sent again', async () => {
  const [{ event_id }] = (await runJson(`event list --order ${orders[1]}`)).events;
  await runJson(`endpoint delete ${closed.endpointId}`);
  assert.deepEqual((await runJson(`event list --order ${orders[1]}`)).events, []);
  assert.deepEqual((await runJson(`event show ${event_id}`)).attempts, []);
  assert.equal(
    await refusalOf(`event resend ${event_id}`),
    `Event ${event_id} was not for any endpoint that still exists.`,
  );
});

async function capture(account: TestAccount): Promise<string> {
  const shop = shopOf(service, account);
  const order = await shop.createOrder();
  await shop.sendPartner(captureOf(order));
  return order.order_id;
}

function stateOf(endpointId: string): string {
  if (endpointId === good.endpointId) return 'delivered';
  return endpointId === bad.endpointId ? 'pending' : 'undelivered';
}

function newestFirst(one: { endpointId: string }, other: { endpointId: string }): number {
  return one.endpointId < other.endpointId ? 1 : -1;
}
