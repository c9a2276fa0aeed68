/** The receivers of docs/integrate.md, run as a shop runs them, with events that the service signed. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { newEndpointSecret, signEvent } from '../../src/security/event-signature.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { assertRunning, type Launched, launch } from '../../tools/harness/launch.ts';
import { projectDir } from '../../tools/harness/project.ts';
import { makeTemporaryFolder } from '../../tools/harness/temporary-folder.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { languages, samplesDir } from '../support/samples.ts';

type Receiver = {
  readonly url: string;
  /** Ends it without a warning, and starts it again with what it has stored. */
  readonly crash: () => Promise<void>;
  readonly output: () => string;
  /** The ids of the stored events, and the states by id. */
  readonly stored: () => Promise<Stored>;
};
type Stored = { readonly events: string[]; readonly states: Record<string, string> };
type Kind = {
  readonly command: (file: string, port: number) => readonly [string, ...string[]];
  readonly file: string;
  readonly read: (folder: string) => Stored | Promise<Stored>;
};

const secret = newEndpointSecret();
const orderId = 'o_Qt8dLYyVJ0sABEzV';
const [payment, refund] = [`${orderId}-261116051401`, `${orderId}-261116051402`];
const kinds: Readonly<Record<string, Kind>> = {
  Node: { file: 'webhooks.mjs', command: (file) => [process.execPath, file], read: readDatabase },
  Python: { file: 'webhooks.py', command: (file) => ['python3', '-B', file], read: readDatabase },
  PHP: {
    file: 'webhooks.php',
    command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
    read: readFiles,
  },
};

for (const { name, skip } of languages) {
  test(`the receiver in ${name} stores each event once, and keeps the newest states`, {
    skip,
  }, async () => {
    const receiver = await startReceiver(name);
    const events = {
      failed: eventOf(1, 'payment_failed', { transaction: paymentIs('failed') }),
      paid: eventOf(2, 'payment_success', { transaction: paymentIs('succeeded') }),
      completed: eventOf(3, 'order_completed', { status: 'completed' }),
      refunding: eventOf(4, 'refund_pending', {
        status: 'completed',
        transaction: refundIs('pending'),
      }),
      refunded: eventOf(5, 'refund_success', {
        status: 'completed',
        transaction: refundIs('succeeded'),
      }),
      test: { ...eventOf(0, 'test'), svc_order_id: null, order: null, user: null },
    };
    assert.deepEqual(await send(receiver, events.test), [200, 'stored']);
    // The older event comes after the newer one, and changes no state.
    assert.deepEqual(await send(receiver, events.paid), [200, 'stored']);
    assert.deepEqual(await send(receiver, events.failed), [200, 'stored']);
    assert.deepEqual((await receiver.stored()).states, {
      [orderId]: 'order pending',
      [payment]: 'payment succeeded',
    });
    assert.deepEqual(await send(receiver, events.paid), [200, 'repeated']);
    // What is late for the order can be the newest of its transaction.
    assert.deepEqual(await send(receiver, events.refunded), [200, 'stored']);
    await receiver.crash();
    assert.deepEqual(await send(receiver, events.refunded), [200, 'repeated']);
    assert.deepEqual(await send(receiver, events.completed), [200, 'stored']);
    assert.deepEqual(await send(receiver, events.refunding), [200, 'stored']);
    assert.deepEqual(await receiver.stored(), {
      events: Object.values(events)
        .map(({ event_id }) => event_id)
        .toSorted(),
      states: {
        [orderId]: 'order completed',
        [payment]: 'payment succeeded',
        [refund]: 'refund succeeded',
      },
    });
  });

  test(`the receiver in ${name} answers 400 to forged and old events, and stores one of many equal ones`, {
    skip,
  }, async () => {
    const receiver = await startReceiver(name);
    const event = eventOf(1, 'order_completed', { status: 'completed' });
    const forged = { ...event, event_id: 'evt_forged' };
    const headers = headersOf(event);
    const { 'webhook-signature': _gone, ...unsigned } = headers;
    for (const wrong of [
      headersOf(forged),
      headersOf(event, { secrets: [newEndpointSecret()] }),
      headersOf(event, { ageSeconds: 310 }),
      headersOf(event, { ageSeconds: -310 }),
      unsigned,
      {},
      { ...headers, 'webhook-id': 'evt_other' },
      { ...headers, 'webhook-timestamp': 'soon' },
    ]) {
      const [status] = await send(receiver, event, wrong);
      assert.equal(status, 400, JSON.stringify(wrong));
    }
    assert.deepEqual(await receiver.stored(), { events: [], states: {} });
    // Both secrets of a rotation sign, and equal requests arrive at the same time.
    const rotating = headersOf(event, { secrets: [newEndpointSecret(), secret] });
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => send(receiver, event, rotating)),
    );
    const outcomes = replies.map(([, text]) => text).toSorted();
    assert.deepEqual(outcomes, [...Array(4).fill('repeated'), 'stored']);
  });

  test(`the receiver in ${name} never answers 200 without a secret`, { skip }, async () => {
    const empty = 'whsec_';
    const receiver = await startReceiver(name, empty).catch((error: Error) => {
      // The one in Python does not even start.
      assert.match(error.message, /WEBHOOK_SECRET is not the secret of an endpoint/);
    });
    if (!receiver) return;
    const event = eventOf(1, 'order_completed', { status: 'completed' });
    const [status] = await send(receiver, event, headersOf(event, { secrets: [empty] }));
    assert.equal(status, 500);
  });
}

type Status = string | null;

function paymentIs(payment_status: Status, refund_status: Status = null) {
  const svc_transaction_id = payment_status === null ? refund : payment;
  const transaction_type = payment_status === null ? 'partial_refund' : 'payment';
  return { transaction_type, svc_transaction_id, payment_status, refund_status };
}

function refundIs(status: string) {
  return paymentIs(null, status);
}

type About = { readonly status?: string; readonly transaction?: ReturnType<typeof paymentIs> };

function eventOf(sequence: number, event_type: string, about: About = {}) {
  const { status = 'pending', transaction = null } = about;
  return {
    version: 'v3',
    event_id: `evt_${sequence}`,
    event_type,
    sequence,
    is_webhook: true,
    occurred_at: '2026-11-16T15:14:45.281Z',
    status: transaction?.payment_status ?? transaction?.refund_status ?? status,
    message: 'चालान',
    svc_order_id: orderId,
    svc_transaction_id: transaction?.svc_transaction_id ?? null,
    transaction,
    order: { svc_order_id: orderId, invoice_id: 'INV-1001', status, currency: 'INR' },
    user: null,
  };
}

type AnyEvent = { readonly event_id: string };

function headersOf(event: AnyEvent, { secrets = [secret], ageSeconds = 0 } = {}) {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const signed = { eventId: event.event_id, timestamp, body: Buffer.from(JSON.stringify(event)) };
  return {
    'webhook-id': event.event_id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signEvent(signed, secrets),
  };
}

async function send(
  { url, output }: Receiver,
  event: AnyEvent,
  headers: Record<string, string> = headersOf(event),
): Promise<[status: number, text: string]> {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(event),
  };
  const reply = await fetch(url, options).catch((error) => assert.fail(`${error}\n${output()}`));
  return [reply.status, await reply.text()];
}

async function startReceiver(name: string, WEBHOOK_SECRET = secret): Promise<Receiver> {
  const kind = kinds[name];
  assert.ok(kind);
  const { path: folder, remove } = await makeTemporaryFolder('pos-receiver-');
  after(remove);
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(projectDir, 'client'), join(folder, 'node_modules/payment-order-client'));
  await copyFile(join(samplesDir, kind.file), join(folder, kind.file));
  const store = join(folder, kind.read === readFiles ? 'store' : 'webhooks.db');
  if (kind.read === readFiles) await mkdir(store);
  const port = await findFreePort();
  const env = { WEBHOOK_SECRET, WEBHOOK_STORE: store, WEBHOOK_PORT: String(port) };
  const url = `http://127.0.0.1:${port}`;
  const start = async () => {
    const started = launch(kind.command(kind.file, port), env, { cwd: folder });
    await waitUntil('the receiver listens', async () => {
      await assertRunning(started);
      return fetch(url).then(
        () => true,
        () => false,
      );
    });
    return started;
  };
  let running: Launched = await start();
  after(() => running.end('SIGKILL'));
  return {
    url,
    output: () => running.output(),
    crash: async () => {
      await running.end('SIGKILL');
      running = await start();
    },
    stored: async () => kind.read(store),
  };
}

function readDatabase(file: string): Stored {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = (sql: string) => database.prepare(sql).all() as Record<string, string>[];
  const events = rows('select id from events order by id').map(({ id = '' }) => id);
  const states = rows('select id, state from states').map(({ id, state }) => [id, state]);
  database.close();
  return { events, states: Object.fromEntries(states) };
}

async function readFiles(folder: string): Promise<Stored> {
  const found: Stored[] = await Promise.all(
    [orderId, 'test'].map(async (name) => {
      const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => '{}');
      const { events = {}, states = {} } = JSON.parse(text);
      const entries = Object.entries(states as Record<string, { state: string }>);
      return {
        events: Object.keys(events),
        states: Object.fromEntries(entries.map(([id, { state }]) => [id, state])),
      };
    }),
  );
  return {
    events: found.flatMap(({ events }) => events).toSorted(),
    states: Object.assign({}, ...found.map(({ states }) => states)),
  };
}
