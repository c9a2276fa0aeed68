/** The gateway's hosted payment page. */
import type { FastifyInstance } from 'fastify';
import { pageHeaders } from '../html.ts';
import { type PaymentPage, paymentPage, refuse, resultPage } from '../payment-page.ts';
import { isAction } from '../scenarios.ts';
import { object } from '../wire.ts';
import type { World } from '../world.ts';
import { actAtGateway } from './payments.ts';
import { words } from './records.ts';
import { type GatewaySession, type GatewayState, orderKey } from './state.ts';
import { isApproved } from './totals.ts';

type ById = { Params: { id: string } };

export function addGatewayCheckout(app: FastifyInstance, world: World, state: GatewayState): void {
  app.get<ById>('/checkout/pay/:id', async (request, reply) => {
    const session = state.sessions.get(request.params.id);
    if (!session) return refuse(reply, 404, 'There is no such session.');
    return reply.headers(pageHeaders).send(paymentPage(viewOf(session)));
  });

  app.post<ById>('/checkout/:id/act', async (request, reply) => {
    const session = state.sessions.get(request.params.id);
    const { action } = object(request.body);
    if (!session) return refuse(reply, 404, 'There is no such session.');
    if (!isAction(action)) return refuse(reply, 400, 'Choose to pay, decline or cancel.');
    await actAtGateway(world, state, session.id, action);
    const view = viewOf(session);
    if (session.returnUrl) return reply.redirect(returnTo(session, view.isPaid), 303);
    return reply.headers(pageHeaders).send(resultPage(view));
  });

  function viewOf(session: GatewaySession): PaymentPage {
    const order = state.orders.get(orderKey(session.merchantId, session.orderId));
    const failed = order?.transactions.findLast(({ result }) => result === 'FAILURE');
    return {
      provider: 'Bank card gateway',
      brand: 'gateway',
      method: 'Card, Visa ending in 1111',
      shopName: session.shopName ?? 'The shop',
      amount: session.amount,
      currency: session.currency,
      reference: session.orderId,
      actUrl: `/checkout/${session.id}/act`,
      isPaid: isApproved(order),
      ...(failed && !isApproved(order) && { failure: words(failed.gatewayCode) }),
    };
  }
}

/** The shop compares the indicator with the one of the session; if they are equal, the payment succeeded. */
function returnTo(
  { returnUrl = '', successIndicator }: GatewaySession,
  isSuccess: boolean,
): string {
  if (!isSuccess) return returnUrl;
  const url = new URL(returnUrl);
  url.searchParams.set('resultIndicator', successIndicator);
  return url.href;
}
