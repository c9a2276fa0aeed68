/** A service and a simulator that call each other over HTTP, and a shop that pays and refunds with them. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../simulator/simulator.ts';
import type { PaymentModeCode } from '../../src/domain/payment-mode.ts';
import type { RequestedAccount } from '../../src/use-cases/accounts/create-account.ts';
import { verifyInvariants } from '../../src/use-cases/upkeep/verify-invariants.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { readForm } from '../../tools/harness/plain-browser.ts';
import { issueMerchantToken } from './merchant-token.ts';
import { orderBody } from './order-bodies.ts';
import { pollAllDue } from './poll-all-due.ts';
import { startTestService, type TestAccount, type TestService } from './test-service.ts';

export type JourneyShop = TestAccount & {
  readonly partnerKeyId: string;
  readonly merchantId: string;
};

export type Journey = Awaited<ReturnType<typeof startJourney>>;

export type Action = 'pay' | 'pay-from-another' | 'decline' | 'cancel';

/** A payment mode of each provider: the shop routes cards to the bank gateway. */
export const modeOf = { partner: 'upi', 'bank-gateway': 'credit_card' } as const;
export type SimulatedProvider = keyof typeof modeOf;

export async function startJourney(options: SimulatorOptions = {}) {
  const service = await startTestService({ port: await findFreePort() });
  const { clock } = service.services;
  // The simulator uses the same clock, so it moves with ours.
  const now = () => clock().getTime();
  const simulator = await startSimulator({ timeScale: 0.001, now, ...options });
  after(() => simulator.close());
  let shops = 0;
  const openNextShop = (settings?: Partial<RequestedAccount>) => {
    shops += 1;
    return openShopAt(service, simulator, shops === 1 ? '' : `_${shops}`, settings);
  };
  const shop = await openNextShop();
  // A new token for each call: an earlier one may have expired when the clock was moved.
  const call = async (path: string, body: object | string) => {
    const { token } = await issueMerchantToken(service.services, shop.accountId);
    return service.call(`/api/v3/${path}`, { token, body });
  };
  const initiate = (orderId: string, mode: PaymentModeCode = 'upi', more: object = {}) =>
    call('initiate-payment', {
      order_id: orderId,
      payment_mode_code: mode,
      ...(mode === 'upi' && { upi_id: 'asha@okbank' }),
      ...(mode === 'net_banking' && { bank_code: 'HDFC' }),
      ...(mode === 'wallet' && { wallet_code: 'paytm' }),
      ...more,
    });
  let invoices = 0;
  const createOrder = async (body: object = {}): Promise<string> => {
    invoices += 1;
    const order = { ...orderBody({ invoice_id: `J-${invoices}` }), ...body };
    const reply = await call('create-order', order);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body.order_id;
  };
  /** Starts a payment and acts on the provider's page. Returns our transaction id. */
  const pay = async (orderId: string, mode?: PaymentModeCode, action?: Action) => {
    const { status, body } = await initiate(orderId, mode);
    assert.equal(status, 200, JSON.stringify(body));
    await simulator.pay(await findCheckout(body.next[0].url), action);
    return String(body.transaction_id);
  };
  return {
    service,
    simulator,
    shop,
    /** Opens another account that is registered at both providers. */
    openShop: openNextShop,
    initiate,
    createOrder,
    pay,
    /** Creates an order, pays it and waits for the webhooks. */
    createPaid: async (body?: object, mode?: PaymentModeCode) => {
      const orderId = await createOrder(body);
      const transactionId = await pay(orderId, mode);
      await simulator.settled();
      return { orderId, transactionId };
    },
    refund: (body: object | string) => call('refund', body),
    enquire: (body: object) => call('transaction-enquiry', body),
    /** Moves the clock by a minute and runs all polls that are due. */
    heal: async () => {
      service.advanceSeconds(61);
      await pollAllDue(service.services);
    },
    assertSound: async () => {
      assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
    },
  };
}

/** Sets up the account as `account create` and `account update` would. `url` is where it reaches the simulator. */
export async function openShopAt(
  service: TestService,
  simulator: Simulator,
  mark: string,
  settings: Partial<RequestedAccount> = {},
  url = simulator.url,
): Promise<JourneyShop> {
  const [partnerKeyId, keySecret] = [`rzp_test_journey${mark}`, 'partner_key_secret_journey'];
  const [merchantId, password] = [`SIMJOURNEY${mark}`, 'bank_gateway_password_journey'];
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
    ...settings,
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

/** Follows the redirect like a browser and returns the provider's id of the checkout. */
export async function findCheckout(redirectUrl: string): Promise<string> {
  const { pathname } = new URL(redirectUrl);
  if (!pathname.startsWith('/pay/')) return pathname.split('/').at(-1) ?? '';
  const { action, fields } = readLaunchForm(await (await fetch(redirectUrl)).text());
  const opened = await fetch(action, { method: 'POST', body: new URLSearchParams(fields) });
  assert.equal(opened.status, 200, await opened.text());
  return fields.order_id ?? '';
}

/** The form that our launch page posts. */
export function readLaunchForm(page: string) {
  return readForm(page) ?? { action: '', fields: {} };
}
