/** Plays the consumer's UPI app: opening the link of an intent shows who is paid how much, to approve or to decline. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Html, html, page, pageHeaders } from '../html.ts';
import { amountText } from '../money.ts';
import { icon, payButtons, refuse, result } from '../payment-page.ts';
import { isAction } from '../scenarios.ts';
import { object, text } from '../wire.ts';
import type { World } from '../world.ts';
import { failureFields } from './failures.ts';
import { answerIntent } from './payments.ts';
import { isTaken, type PartnerOrder, type PartnerPayment, type PartnerState } from './state.ts';

type ById = { Params: { id: string } };

export function addUpiApp(app: FastifyInstance, world: World, state: PartnerState): void {
  app.get<ById>('/upi/:id', async (request, reply) => show(reply, request.params.id));

  app.post<ById>('/upi/:id/act', async (request, reply) => {
    const { action } = object(request.body);
    if (!isAction(action)) return refuse(reply, 400, 'Choose to approve or to decline.');
    await answerIntent(world, state, request.params.id, action);
    return show(reply, request.params.id);
  });

  function show(reply: FastifyReply, id: string): FastifyReply {
    const payment = state.payments.get(id);
    const order = state.orders.get(payment?.orderId ?? '');
    if (!payment?.intent || !order) return refuse(reply, 404, 'There is no such payment request.');
    return reply.headers(pageHeaders).send(upiPage(payment, order, isTaken(state, order)));
  }
}

/** `isPaid`: by this intent or in another way. */
function upiPage(payment: PartnerPayment, order: PartnerOrder, isPaid: boolean): string {
  const isOpen = payment.status === 'created' && !isPaid;
  const body = isOpen ? question(payment, order) : outcome(payment, isPaid);
  const { shopName = 'The shop' } = order.checkout;
  return page(
    `Pay ${shopName} by UPI`,
    html`<main class="upi">
<p class="brand"><span class="mark">${icon('upi')}</span> UPI app <span class="dim">Simulated</span></p>
<div class="payee">
<span class="initial" aria-hidden="true">${shopName.slice(0, 1).toUpperCase()}</span>
<h1>${shopName}</h1>
<p class="dim">${payeeOf(payment)}</p>
<p class="amount">${amountText(payment)}</p>
</div>
${body}
</main>`,
  );
}

function question({ id, intent }: PartnerPayment, { bankAccount }: PartnerOrder): Html {
  const payFrom = bankAccount?.accountNumber.slice(-4);
  const note = intent?.description ? html`<dt>Note</dt><dd>${intent.description}</dd>` : html``;
  return html`<dl class="facts">${note}
<dt>From</dt><dd>Savings account ending in ${payFrom ?? '4321'}</dd>
</dl>
<form method="post" action="/upi/${id}/act">
${payButtons('Approve', payFrom)}
<button name="action" value="decline">Decline</button>
</form>`;
}

function outcome({ failureReason }: PartnerPayment, isPaid: boolean): Html {
  if (isPaid) return result('Payment approved', { isPaid });
  const failure = text(failureFields(failureReason).error_description);
  return result('Payment not made', { isPaid, ...(failure && { failure }) });
}

/** The UPI address of the shop, as its bank would have given it. */
function payeeOf({ keyId }: PartnerPayment): string {
  return `${keyId.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '.')}@simulator`;
}
