/**
 * Existing clients against the service: each fixture in `clients/` makes its calls over HTTP, and docs/compatibility.md has
 * a row for each of them. Contract 3.18, 5.10, 11.11, 12.4 and 19.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openPayload, sealPayload } from '../../src/security/sealed-payload.ts';
import { createEventDeliveries } from '../../src/use-cases/events/deliver-events.ts';
import { unescapeHtml } from '../../tools/harness/plain-browser.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { findCheckout, type JourneyShop, startJourney } from '../support/journey.ts';
import { issueMerchantToken } from '../support/merchant-token.ts';
import { payloadOf, visit } from '../support/returns.ts';
import { addEndpoint, type ShopEndpoint, startShopEndpoint } from '../support/shop-endpoint.ts';
import { type Fixture, readFixtures, type Step } from './fixture.ts';

type Client = { readonly shop: JourneyShop; readonly receiver: ShopEndpoint };
// biome-ignore lint/suspicious/noExplicitAny: fixtures name what they read
type Answer = { readonly status: number; readonly body: any };

const fixtures = readFixtures();
const page = await readFile(join(projectDir, 'docs/compatibility.md'), 'utf8');
const { service, simulator, openShop } = await startJourney();
const { services } = service;
const deliveries = createEventDeliveries(services);
services.announcer.listen(deliveries.startDeliveries);
const clients = new Map<Fixture, Client>();
for (const fixture of fixtures) {
  const shop = await openShop(fixture.account);
  const receiver = await startShopEndpoint();
  await addEndpoint(service, shop.accountId, receiver.url);
  clients.set(fixture, { shop, receiver });
}

for (const fixture of fixtures) {
  describe(fixture.client, () => {
    const kept = new Map<string, unknown>();
    for (const [index, step] of fixture.steps.entries()) {
      test(step.row ?? `prepares step ${index + 2}`, async () => {
        const client = clients.get(fixture) ?? assert.fail();
        if (!kept.has('access_key')) startNames(kept, client, fixtures.indexOf(fixture));
        const answer = await take(fillIn(step, kept) as Step, client, kept);
        assert.equal(answer.status, step.status ?? 200, JSON.stringify(answer.body));
        check(fillIn(step, kept) as Step, answer, client.shop);
        for (const [name, path] of Object.entries(step.keeps ?? {})) {
          kept.set(name, valueAt(answer.body, path));
        }
      });
    }
  });
}

test('every row of the page has a fixture that proves it, and every fixture its row', () => {
  const proven = fixtures.flatMap(({ client, steps }) =>
    steps.flatMap(({ row, outcome }) => (row ? [`${client}: ${row} ${outcome}`] : [])),
  );
  const rows = rowsOf(page).map(({ heading, row, result }) => `${heading}: ${row} ${result}`);
  assert.ok(rows.length > 60);
  assert.deepEqual(rows.toSorted(), [...new Set(proven)].toSorted());
});

test('a row that differs says why', () => {
  const silent = rowsOf(page).filter(({ result, why }) => result === 'differs' && why === '');
  assert.deepEqual(silent, []);
});

function startNames(kept: Map<string, unknown>, { shop }: Client, index: number): void {
  const { accessKey, accessSecret } = shop;
  const inAMonth = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const names = {
    access_key: accessKey,
    access_secret: accessSecret,
    // Some plugins send a number.
    invoice: 5_000 + index,
    in_a_month: inAMonth.replace('T', ' ').slice(0, 19),
  };
  for (const [name, value] of Object.entries(names)) kept.set(name, value);
}

/** A text that is one name becomes its value, a number too; others are filled in. */
function fillIn(node: unknown, kept: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((entry) => fillIn(entry, kept));
  if (typeof node === 'object' && node !== null) {
    return Object.fromEntries(
      Object.entries(node).map(([key, entry]) => [key, fillIn(entry, kept)]),
    );
  }
  if (typeof node !== 'string') return node;
  const [, whole = ''] = /^\{(\w+)\}$/.exec(node) ?? [];
  if (kept.has(whole)) return kept.get(whole);
  return node.replaceAll(/\{(\w+)\}/g, (all, name) => (kept.has(name) ? `${kept.get(name)}` : all));
}

async function take(
  { call, visits, frames, pays, event, returns, opens }: Step,
  { shop, receiver }: Client,
  kept: Map<string, unknown>,
): Promise<Answer> {
  const open = (answer: Answer) => (opens ? opened(answer, shop) : answer);
  if (call) {
    const { seals, body, ...others } = call;
    const sealed = seals && {
      encrypted_payload: sealPayload(JSON.stringify(body), shop.accessSecret),
    };
    return open(await service.call(call.path, { ...others, body: sealed ?? body }));
  }
  if (visits) {
    const { status, location } = await visit(`${service.baseUrl}${visits}`);
    return { status, body: { location } };
  }
  if (frames) {
    const headers = { 'sec-fetch-dest': 'iframe' };
    const { status, text } = await visit(`${service.baseUrl}${frames}`, { headers });
    const [, message = 'null'] = /data-message="([^"]*)"/.exec(text) ?? [];
    return { status, body: JSON.parse(unescapeHtml(message)) };
  }
  if (pays) return pay(shop, kept, pays);
  if (returns) {
    const id = kept.get('transaction_id');
    const seen = await visit(`${service.baseUrl}/pay/${shop.accountId}/${id}/return`);
    assert.equal(seen.status, 303, seen.text);
    return { status: 200, body: { payload: payloadOf(seen) } };
  }
  const find = () =>
    receiver.received
      .map(({ body }) => open({ status: 200, body }))
      .find(({ body }) => body.event_type === event && body.svc_order_id === kept.get('order_id'));
  await waitUntil(`the shop has ${event}`, () => find() !== undefined);
  return find() ?? assert.fail();
}

function opened({ status, body }: Answer, { accessSecret }: JourneyShop): Answer {
  const text = openPayload(body.encrypted_response, accessSecret) ?? assert.fail('not encrypted');
  return { status, body: JSON.parse(String(text)) };
}

async function pay(shop: JourneyShop, kept: Map<string, unknown>, more: object): Promise<Answer> {
  const { token } = await issueMerchantToken(services, shop.accountId);
  const order = { order_id: kept.get('order_id'), payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  const body = { ...order, ...more };
  const started = await service.call('/api/v3/initiate-payment', { token, body });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  await simulator.pay(await findCheckout(started.body.next[0].url));
  await simulator.settled();
  kept.set('transaction_id', started.body.transaction_id);
  return started;
}

function check({ reads = {}, signature }: Step, { body }: Answer, { accessSecret }: JourneyShop) {
  for (const [path, expected] of Object.entries(reads)) {
    const value = valueAt(body, path);
    const at = `${path} of ${JSON.stringify(body)}`;
    if (expected === null) assert.equal(value ?? null, null, at);
    else if (typeof expected === 'string' && expected.startsWith('^')) {
      assert.match(String(value), RegExp(expected), at);
    } else assert.deepEqual(value, expected, at);
  }
  if (!signature) return;
  const parts = signature.of.map((path) => {
    const value = valueAt(body, path);
    return typeof value === 'number' ? value.toFixed(2) : String(value);
  });
  const expected = createHmac('sha256', accessSecret).update(parts.join('|')).digest('hex');
  assert.equal(valueAt(body, signature.at), expected, parts.join('|'));
}

function valueAt(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((node: unknown, name) => (node as Record<string, unknown> | null)?.[name], body);
}

function rowsOf(text: string) {
  return text.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n');
    return [...section.matchAll(/^\| (.+?) \| (works|differs) \| ?(.*?) ?\|$/gm)].map(
      ([, row = '', result = '', why = '']) => ({ heading, row, result, why }),
    );
  });
}
