/** Every state that a page of the checkout can have, and how an order gets there. Contract 14.3. */
import type { Page } from 'playwright-core';
import { commandLine } from '../../src/domain/audit.ts';
import { slowPaymentSeconds } from '../../src/domain/order-state/checkout-step.ts';
import type { Words } from '../../src/http/checkout/words/en.ts';
import { updateAccount } from '../../src/use-cases/accounts/update-account.ts';
import { type CheckoutPages, type OrderOf, upiIntent } from './checkout-page.ts';
import { findCheckout } from './journey.ts';

export type State = {
  /** Brings an order into the state. */
  readonly reach: (pages: CheckoutPages) => Promise<Reached>;
  /** The heading of the page. */
  readonly heading: (words: Words) => string;
  /** What else the page must say. */
  readonly says?: (words: Words) => string;
  /** What the consumer does before the state is complete. */
  readonly prepare?: (page: Page, words: Words) => Promise<void>;
  /** Other than 200. */
  readonly status?: number;
};

export type Reached = OrderOf & {
  /** Where the page is, unless it is the checkout of the order. */
  readonly path?: string;
};

export const states = {
  choose: { reach: create, heading: ({ choose }) => choose.heading },
  'bank picker': {
    reach: create,
    heading: ({ choose }) => choose.heading,
    prepare: (page, { choose }) => page.getByLabel(choose.modes.net_banking).first().check(),
  },
  waiting: {
    reach: async (pages) => {
      const order = await create(pages);
      await pages.initiate(order.orderId);
      return order;
    },
    heading: ({ waiting }) => waiting.heading,
  },
  'slow bank': {
    reach: async (pages) => {
      const order = await create(pages);
      await pages.initiate(order.orderId);
      pages.service.advanceSeconds(slowPaymentSeconds + 1);
      return order;
    },
    heading: ({ waiting }) => waiting.slowHeading,
    says: ({ waiting }) => waiting.slowText,
  },
  'UPI code': {
    reach: async ({ service, createAtShop }) => {
      const { accountId, orderId, token } = await createAtShop(upiIntent);
      const body = { order_id: orderId, payment_mode_code: 'upi' };
      await service.call('/api/v3/initiate-payment', { token, body });
      return { accountId, orderId };
    },
    heading: ({ upi }) => upi.heading,
  },
  paid: {
    reach: async (pages) => (await finish(pages, 'pay')).order,
    heading: ({ paid }) => paid.heading,
    says: ({ paid }) => paid.receipt,
  },
  failed: {
    reach: async (pages) => (await finish(pages, 'decline')).order,
    heading: ({ choose }) => choose.heading,
    says: ({ failed }) => failed.heading,
  },
  'failed for good': {
    reach: async (pages) => {
      const reason = 'payment_risk_check_failed';
      return (await finish(pages, 'pay', { name: 'decline', reason })).order;
    },
    heading: ({ failed }) => failed.heading,
    says: ({ failed }) => failed.reasons.RISK_REJECTED,
  },
  expired: {
    reach: async (pages) => {
      const order = await create(pages);
      await lapse(pages, order);
      return order;
    },
    heading: ({ expired }) => expired.heading,
  },
  checking: {
    reach: async (pages) =>
      (await finish(pages, 'pay', { name: 'partial-capture-only' }, 'credit_card')).order,
    heading: ({ checking }) => checking.heading,
  },
  'too late': {
    reach: async (pages) => {
      const { simulator, service, shop, initiate } = pages;
      const { services } = service;
      const { accountId } = shop;
      await updateAccount(services, accountId, () => ({ latePayments: 'refund' }), commandLine);
      await services.accounts.readNow(accountId);
      const order = await create(pages);
      const { body } = await initiate(order.orderId);
      const checkout = await findCheckout(body.next[0].url);
      await lapse(pages, order);
      await simulator.pay(checkout);
      await simulator.settled();
      return order;
    },
    heading: ({ tooLate }) => tooLate.heading,
    says: ({ tooLate }) => tooLate.text,
  },
  'already paid': {
    reach: async (pages) => {
      const { order, transactionId } = await finish(pages, 'pay');
      return { ...order, path: `/pay/${order.accountId}/${transactionId}` };
    },
    heading: ({ paid }) => paid.heading,
    says: ({ paid }) => paid.already,
    status: 410,
  },
  'bad token': {
    reach: async (pages) => ({ ...(await create(pages)), path: '/checkout?token=none' }),
    heading: ({ errors }) => errors.signedOut,
    status: 401,
  },
} as const satisfies Record<string, State>;

export type StateName = keyof typeof states;
export const stateNames = Object.keys(states) as StateName[];

function create({ createReturning }: CheckoutPages): Promise<OrderOf> {
  return createReturning();
}

/** Some seconds ago: the partner's clock counts whole seconds. */
async function lapse({ service }: CheckoutPages, { orderId }: OrderOf): Promise<void> {
  await service.database.query({
    text: `update orders set lapses_at = created_at - interval '5 seconds' where order_id = $1`,
    values: [orderId],
  });
}

/** The consumer acts on the provider's page, and its webhooks arrive. */
async function finish(
  pages: CheckoutPages,
  action: 'pay' | 'decline',
  scenario?: Parameters<CheckoutPages['simulator']['setScenarioFor']>[1],
  mode: 'upi' | 'credit_card' = 'upi',
): Promise<{ readonly order: OrderOf; readonly transactionId: string }> {
  const { simulator } = pages;
  const order = await create(pages);
  if (scenario) simulator.setScenarioFor(order.orderId, scenario);
  const transactionId = await pages.pay(order.orderId, mode, action);
  await simulator.settled();
  return { order, transactionId };
}
