/** The partner's payment page: opened by the shop's form or by a link. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { pageHeaders } from '../html.ts';
import { type PaymentPage, paymentPage, refuse, resultPage } from '../payment-page.ts';
import { isAction } from '../scenarios.ts';
import { isWebAddress, object, text, texts, type Wire } from '../wire.ts';
import type { World } from '../world.ts';
import { failureFields } from './failures.ts';
import { actAtPartner } from './payments.ts';
import { sendReturnForm } from './return-form.ts';
import {
  type Checkout,
  isTaken,
  type PartnerOrder,
  type PartnerState,
  paymentsOf,
  referencesOf,
} from './state.ts';

export function addPartnerCheckout(app: FastifyInstance, world: World, state: PartnerState): void {
  app.get('/v1/checkout/embedded', async (request, reply) =>
    open(reply, object(request.query), undefined),
  );
  app.post('/v1/checkout/embedded', async (request, reply) => {
    const form = object(request.body);
    return open(reply, form, readCheckout(form));
  });

  app.post<{ Params: { id: string } }>('/v1/checkout/:id/act', async (request, reply) => {
    const { id } = request.params;
    const { action } = object(request.body);
    if (!isAction(action)) return refuse(reply, 400, 'Choose to pay, decline or cancel.');
    await actAtPartner(world, state, id, action);
    const order = state.orders.get(id);
    if (!order) return refuse(reply, 404, 'There is no such order.');
    const { callbackUrl, cancelUrl = callbackUrl } = order.checkout;
    if (action === 'cancel' && cancelUrl) return reply.redirect(cancelUrl, 303);
    const payment = paymentsOf(state, id).at(-1);
    const shop = await world.shops.findPartner(order.keyId);
    if (callbackUrl && payment && shop) {
      return sendReturnForm(reply, callbackUrl, payment, shop.keySecret);
    }
    return reply.headers(pageHeaders).send(resultPage(viewOf(order)));
  });

  function open(reply: FastifyReply, form: Wire, checkout: Checkout | undefined): FastifyReply {
    const order = state.orders.get(text(form.order_id) ?? '');
    if (!order) return refuse(reply, 404, 'There is no such order.');
    if (form.key_id !== undefined && form.key_id !== order.keyId) {
      return refuse(reply, 400, 'The order belongs to another shop.');
    }
    const opened = checkout ? { ...order, checkout } : order;
    state.orders.set(order.id, opened);
    return reply.headers(pageHeaders).send(paymentPage(viewOf(opened)));
  }

  function viewOf(order: PartnerOrder): PaymentPage {
    const failed = paymentsOf(state, order.id).findLast(({ status }) => status === 'failed');
    const failure = text(failureFields(failed?.failureReason ?? null).error_description);
    return {
      provider: 'Payment partner',
      brand: 'partner',
      method: methodWords[order.method ?? order.checkout.method ?? ''] ?? 'UPI',
      ...(order.bankAccount && { payFrom: order.bankAccount.accountNumber.slice(-4) }),
      shopName: order.checkout.shopName ?? 'The shop',
      amount: order.amount,
      currency: order.currency,
      reference: referencesOf(order)[0] ?? order.id,
      actUrl: `/v1/checkout/${order.id}/act`,
      isPaid: isTaken(state, order),
      ...(failure && !isTaken(state, order) && { failure }),
    };
  }
}

const methodWords: Readonly<Record<string, string>> = {
  upi: 'UPI',
  card: 'Card, Visa ending in 1111',
  netbanking: 'Netbanking',
  wallet: 'Wallet',
};

/** Notes are sent as `notes[svc_transaction_id]=...`. */
function readCheckout(form: Wire): Checkout {
  const notes = Object.entries(form).flatMap(([name, value]) => {
    const match = /^notes\[(.+)\]$/.exec(name);
    return match?.[1] ? [[match[1], value] as const] : [];
  });
  const [shopName] = texts(form.name);
  const [method] = texts(form.method);
  const { callback_url: callbackUrl, cancel_url: cancelUrl } = form;
  return {
    ...(shopName && { shopName }),
    ...(method && { method }),
    ...(isWebAddress(callbackUrl) && { callbackUrl }),
    ...(isWebAddress(cancelUrl) && { cancelUrl }),
    notes: Object.fromEntries(notes),
  };
}
