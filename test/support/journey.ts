/** A shop that pays and refunds for real: the service and the simulator, over HTTP, both ways. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../simulator/simulator.ts';
import type { PaymentModeCode } from '../../src/domain/payment-mode.ts';
import { askProvider } from '../../src/use-cases/ask-provider.ts';
import { verifyInvariants } from '../../src/use-cases/verify-invariants.ts';
import { orderBody } from './order-bodies.ts';
import { findFreePort } from './service-process.ts';
import {
  type Reply,
  startTestService,
  type TestAccount,
  type TestService,
} from './test-service.ts';

export type JourneyShop = TestAccount & {
  readonly partnerKeyId: string;
  readonly merchantId: string;
};

export type Journey = {
  readonly service: TestService;
  readonly simulator: Simulator;
  readonly shop: JourneyShop;
  readonly createOrder: (body?: object) => Promise<string>;
  /** Starts a payment and gives the whole reply. */
  readonly initiate: (orderId: string, mode?: PaymentModeCode, more?: object) => Promise<Reply>;
  /** Starts a payment and lets the consumer act at the provider's page; gives our transaction id. */
  readonly pay: (orderId: string, mode?: PaymentModeCode, action?: Action) => Promise<string>;
  readonly refund: (body: object) => Promise<Reply>;
  readonly enquire: (body: object) => Promise<Reply>;
  /** A minute passes, and the background asks about everything that is due. */
  readonly heal: () => Promise<void>;
  readonly assertSound: () => Promise<void>;
};

export type Action = 'pay' | 'decline' | 'cancel';

/** The mode for each provider: the shop routes cards to the bank gateway. */
export const modeOf = { partner: 'upi', 'bank-gateway': 'credit_card' } as const;
export type SimulatedProvider = keyof typeof modeOf;

export async function startJourney(options: SimulatorOptions = {}): Promise<Journey> {
  const service = await startTestService({ port: await findFreePort() });
  const simulator = await startSimulator({ timeScale: 0.001, ...options });
  after(() => simulator.close());
  const shop = await openShop(service, simulator);
  const call = (path: string, body: object) =>
    service.call(`/api/v3/${path}`, { token: shop.token, body });
  const initiate: Journey['initiate'] = (orderId, mode = 'upi', more = {}) =>
    call('initiate-payment', {
      order_id: orderId,
      payment_mode_code: mode,
      ...(mode === 'upi' && { upi_id: 'asha@okbank' }),
      ...(mode === 'net_banking' && { bank_code: 'HDFC' }),
      ...(mode === 'wallet' && { wallet_code: 'paytm' }),
      ...more,
    });
  let invoices = 0;
  return {
    service,
    simulator,
    shop,
    initiate,
    createOrder: async (body = {}) => {
      invoices += 1;
      const reply = await call('create-order', {
        ...orderBody({ invoice_id: `J-${invoices}` }),
        ...body,
      });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      return reply.body.order_id;
    },
    pay: async (orderId, mode, action) => {
      const { status, body } = await initiate(orderId, mode);
      assert.equal(status, 200, JSON.stringify(body));
      await simulator.pay(await findCheckout(body.next[0].url), action);
      return body.transaction_id;
    },
    refund: (body) => call('refund', body),
    enquire: (body) => call('transaction-enquiry', body),
    heal: async () => {
      service.advanceSeconds(61);
      await askAll(service);
    },
    assertSound: async () => {
      assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
    },
  };
}

/** The account as `account create` and `account update` would set it up. */
async function openShop(service: TestService, simulator: Simulator): Promise<JourneyShop> {
  const { url } = simulator;
  const [partnerKeyId, keySecret] = ['rzp_test_journey', 'partner_key_secret_journey'];
  const [merchantId, password] = ['SIMJOURNEY', 'bank_gateway_password_journey'];
  const account = await service.createAccount({
    paymentModes: {
      upi: 'partner',
      net_banking: 'partner',
      wallet: 'partner',
      credit_card: 'bank-gateway',
      debit_card: 'bank-gateway',
      prepaid_card: 'bank-gateway',
    },
    providerApis: {
      partner: { url, login: partnerKeyId },
      'bank-gateway': { url, login: merchantId },
    },
    apiSecrets: { 'partner-key-secret': keySecret, 'bank-gateway-password': password },
  });
  simulator.register({
    partner: {
      keyId: partnerKeyId,
      keySecret,
      webhookUrl: account.partnerWebhookUrl,
      webhookSecret: account.partnerWebhookSecret,
    },
    gateway: {
      merchantId,
      password,
      webhookUrl: account.bankGatewayWebhookUrl,
      webhookSecret: account.bankGatewaySecret,
    },
  });
  return { ...account, partnerKeyId, merchantId };
}

/** Follows the redirect as a browser would, to the provider's own name of the checkout. */
export async function findCheckout(redirectUrl: string): Promise<string> {
  const { pathname } = new URL(redirectUrl);
  if (!pathname.startsWith('/pay/')) return pathname.split('/').at(-1) ?? '';
  const page = await (await fetch(redirectUrl)).text();
  return /name="order_id" value="([^"]+)"/.exec(page)?.[1] ?? '';
}

async function askAll({ services, database }: TestService): Promise<void> {
  const { rows } = await database.query<{ account_id: string; transaction_id: string }>({
    text: 'select account_id, transaction_id from transactions where next_ask_at <= $1',
    values: [services.clock()],
  });
  for (const row of rows) {
    await askProvider(services, { accountId: row.account_id, transactionId: row.transaction_id });
  }
}
