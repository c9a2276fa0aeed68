/** A minimal shop: it receives webhooks and calls the simulated providers. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../simulator/simulator.ts';

export type Json = Record<string, unknown>;

export type Received = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** False if the connection broke before the body was complete. */
  readonly isWhole: boolean;
};

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** Waits until this many webhooks have been received. */
  readonly until: (count: number) => Promise<void>;
  /** Sets the status of the next answers; 0 breaks the connection. */
  answer: (request: Received) => number;
};

export const keyId = 'rzp_test_key';
export const merchantId = 'TESTSHOP';
export const partnerSecret = 'partner-secret-1';
export const gatewaySecret = 'gateway-secret-1';
export const gatewayPath = `/api/rest/version/100/merchant/${merchantId}`;

export async function startShop(t: TestContext, options: SimulatorOptions = {}) {
  const receiver = await startReceiver(t);
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const simulator = await startSimulator({ timeScale: 0.001, log, ...options });
  t.after(simulator.close);
  simulator.register(shopAt(receiver.url));
  return { simulator, receiver, lines, ...callsOf(simulator) };
}

export function shopAt(url: string) {
  return {
    partner: {
      keyId,
      keySecret: 'key-secret',
      webhookUrl: `${url}/partner`,
      webhookSecret: partnerSecret,
    },
    gateway: {
      merchantId,
      password: 'gateway-password',
      webhookUrl: `${url}/gateway`,
      webhookSecret: gatewaySecret,
    },
  };
}

async function startReceiver(t: TestContext): Promise<Receiver> {
  const receiver: { -readonly [Name in keyof Receiver]: Receiver[Name] } = {
    url: '',
    received: [],
    until: async (count) => {
      const signal = AbortSignal.timeout(5_000);
      while (receiver.received.length < count) await setTimeout(10, undefined, { signal });
    },
    answer: () => 200,
  };
  const server = createServer(async (request, response) => {
    const { body, isWhole } = await readBody(request);
    const received = { path: request.url ?? '', headers: request.headers, body, isWhole };
    receiver.received.push(received);
    const status = receiver.answer(received);
    if (status === 0) response.destroy();
    else response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

async function readBody(request: IncomingMessage): Promise<{ body: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch {
    // The body was cut off. The received part is returned.
  }
  return { body: Buffer.concat(chunks).toString('utf8'), isWhole: request.complete };
}

function callsOf({ url }: Simulator) {
  const partner = caller(url, `${keyId}:key-secret`);
  const gateway = caller(url, `merchant.${merchantId}:gateway-password`);

  return {
    partner,
    gateway,
    /** Creates an order at the partner and returns its id. */
    openOrder: async (reference = 'o_1-260101000000', fields: Json = {}) => {
      const notes = { svc_transaction_id: reference };
      const order = { amount: 1050, currency: 'INR', receipt: 'o_1', notes, ...fields };
      return String((await partner('POST', '/v1/orders', order)).body.id);
    },
    /** Creates a checkout session at the gateway and returns its id. */
    openSession: async (
      orderId = 'o_1-260101000000',
      fields: Json = {},
      operation: 'PURCHASE' | 'AUTHORIZE' = 'PURCHASE',
    ) => {
      const answer = await gateway('POST', `${gatewayPath}/session`, {
        apiOperation: 'INITIATE_CHECKOUT',
        interaction: { operation, merchant: { name: 'Tea & Co' } },
        order: { id: orderId, amount: '10.50', currency: 'INR', ...fields },
      });
      return String((answer.body.session as Json).id);
    },
    refundAtPartner: (paymentId: string, body: Json, key?: string) =>
      partner('POST', `/v1/payments/${paymentId}/refund`, body, {
        ...(key !== undefined && { 'x-refund-idempotency': key }),
      }),
    refundAtGateway: (orderId: string, id: string, amount: string, fields: Json = {}) =>
      gateway('PUT', `${gatewayPath}/order/${orderId}/transaction/${id}`, {
        apiOperation: 'REFUND',
        transaction: { amount, currency: 'INR', ...fields },
      }),
  };
}

export function caller(url: string, credentials: string) {
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return async (
    method: string,
    path: string,
    body?: Json,
    headers: Record<string, string> = {},
  ) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
}

export function eventsOf(received: readonly Received[]): string[] {
  return received.map(({ body }) => String(JSON.parse(body).event));
}

/** `PAYMENT SUCCESS 1`, from either form of body. */
export function noticesOf(received: readonly Received[]): string[] {
  return received.map((request) => {
    const { type, result, id } = readNotification(request);
    return `${type} ${result} ${id}`;
  });
}

export function readNotification({ body }: Received) {
  if (body.startsWith('{')) {
    const { transaction, result, order } = JSON.parse(body);
    return {
      type: String(transaction.type),
      id: String(transaction.id),
      result: String(result),
      orderStatus: String(order.status),
    };
  }
  const form = new URLSearchParams(body);
  return {
    type: form.get('transaction.type'),
    id: form.get('transaction.id'),
    result: form.get('result'),
    orderStatus: form.get('order.status'),
  };
}

export function isSigned({ headers, body }: Received, secret = partnerSecret): boolean {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return headers['x-razorpay-signature'] === signature;
}

/** The only payment in the ledger. */
export function onlyPayment(simulator: Simulator) {
  const { payments } = simulator.ledger();
  assert.equal(payments.length, 1);
  assert.ok(payments[0]);
  return payments[0];
}
