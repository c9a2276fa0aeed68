/** A shop that calls a service all the time and collects the replies, to see the effect of failures on callers. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { randomBase62 } from '../../src/domain/ids.ts';
import { createServices } from '../../src/process/create-services.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { assertRefused } from '../api/assertions.ts';
import { partnerEvent, partnerPayment, sendPartner } from './deliveries.ts';
import { issueMerchantToken } from './merchant-token.ts';
import { orderBody } from './order-bodies.ts';
import type { ServiceProcess } from './service-process.ts';
import { createTestAccount } from './test-account.ts';
import type { TestDatabase } from './test-database.ts';
import { type Reply, testMasterKeyHex } from './test-service.ts';

export const kinds = ['create', 'enquiry', 'order', 'token', 'webhook', 'ready'] as const;
export type Kind = (typeof kinds)[number];

export type Answered = {
  readonly kind: Kind;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly reply: Reply;
  /** Repeats the same call. */
  readonly again: () => Promise<Reply>;
};

export type Shop = {
  readonly accountId: string;
  readonly partnerWebhookSecret: string;
  readonly accessKey: string;
  readonly accessSecret: string;
  readonly token: string;
};

export async function openShop({ database }: TestDatabase): Promise<Shop> {
  const services = createServices({
    database,
    masterKeyHex: testMasterKeyHex,
    settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  });
  const account = await createTestAccount(services, { name: 'Caller' });
  const { accountId } = account;
  return { ...account, ...(await issueMerchantToken(services, accountId)) };
}

export type Calls = Readonly<Record<Kind, () => () => Promise<Reply>>>;

/** One call of each kind, each time with a new order or event. */
export function callsOf(service: Pick<ServiceProcess, 'call'>, shop: Shop, orderId: string): Calls {
  const { token, accessKey, accessSecret } = shop;
  const post = (path: string, body: unknown) => () => service.call(path, { token, body });
  return {
    create: () => post('/api/v3/create-order', orderBody()),
    enquiry: () => post('/api/v3/transaction-enquiry', { order_id: orderId }),
    order: () => () => service.call(`/api/v3/order?order_id=${orderId}`, { token }),
    token: () =>
      post('/api/v3/generate-token', { access_key: accessKey, access_secret: accessSecret }),
    webhook: () => {
      const event = partnerEvent('payment.captured', { payment: partnerPayment() });
      const eventId = randomBase62(14);
      return () => sendPartner(service, shop, event, { eventId });
    },
    ready: () => () => service.call('/readyz'),
  };
}

export async function call(kind: Kind, calls: Calls): Promise<Answered> {
  const again = calls[kind]();
  const startedAt = performance.now();
  const reply = await again();
  return { kind, startedAt, endedAt: performance.now(), reply, again };
}

/** Repeats each kind of call shortly after its reply. */
export function keepCalling(calls: Calls) {
  const answered: Answered[] = [];
  let isOver = false;
  const callers = kinds.map(async (kind) => {
    while (!isOver) {
      answered.push(await call(kind, calls));
      await delay(50);
    }
  });
  return {
    /** Resolves when each kind has been answered 200 from now on. */
    answeredAll: () => {
      const from = answered.length;
      const isGood = (wanted: Kind) =>
        answered.slice(from).some(({ kind, reply }) => kind === wanted && reply.status === 200);
      return waitUntil('each kind was answered', () => kinds.every(isGood));
    },
    /** Resolves when a call has been answered 503 from now on. */
    unavailable: () => {
      const from = answered.length;
      return waitUntil('a call was refused', () =>
        answered.slice(from).some(({ reply }) => reply.status === 503),
      );
    },
    /** Stops and returns all replies. */
    stop: async () => {
      isOver = true;
      await Promise.all(callers);
      return answered;
    },
  };
}

/** Passes for 200, and for a 503 in the format of its scope with a Retry-After. */
export function assertAnsweredOrUnavailable({ kind, reply }: Pick<Answered, 'kind' | 'reply'>) {
  if (reply.status !== 200) assertUnavailable(kind, reply);
}

export function assertUnavailable(kind: Kind, reply: Reply): void {
  const details = `${kind}: ${JSON.stringify(reply.body)}`;
  assert.equal(reply.status, 503, details);
  assert.equal(reply.headers.get('retry-after'), '1', details);
  if (kind === 'ready') {
    const missing = ['the database does not answer'];
    assert.deepEqual(reply.body, { status: 'not ready', missing });
  } else if (kind === 'webhook') {
    assert.deepEqual(Object.keys(reply.body), ['status', 'error'], details);
    assert.equal(reply.body.status, 503);
  } else assertRefused(reply, 'SERVICE_UNAVAILABLE');
}
