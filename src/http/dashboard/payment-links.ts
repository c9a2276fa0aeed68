/** "New payment link": an order that a person makes, its short address and the code to scan. Contract 13.7. */
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { encode } from 'uqr';
import { limits } from '../../domain/limits.ts';
import type { CreatedLink } from '../../use-cases/orders/create-payment-link.ts';
import type { HttpContext } from '../http-context.ts';
import { toOrderRequest, toText } from '../merchant/order-request.ts';
import { addRoute } from './dashboard-guard.ts';
import { amountText } from './view-parts.ts';

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const LinkBody = Type.Object({
  total_amount: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  currency: Type.String({ minLength: 1, maxLength: limits.textCharsMax }),
  invoice_id: Type.String({ minLength: 1, maxLength: limits.invoiceIdCharsMax }),
  description: text(limits.textCharsMax),
  expires_at: text(limits.textCharsMax),
  name: text(limits.textCharsMax),
  email: text(limits.emailCharsMax),
  phone: text(limits.textCharsMax),
});
type LinkBody = Static<typeof LinkBody>;

export function addPaymentLinks(app: FastifyInstance, { useCases }: HttpContext): void {
  addRoute(app, 'operator', 'POST /payment-links', { body: LinkBody }, async (request) => {
    const { account, actor, body } = request;
    const link = { ...toOrderRequest(orderBodyOf(body)), expiresAt: toText(body.expires_at) };
    return linkView(await useCases.createLinkByHand(actor, account.accountId, link));
  });
}

/** The body that a shop would send, so that the same content is the same order. */
function orderBodyOf({ name = '', email, phone, ...body }: LinkBody) {
  const [firstName, ...others] = name.trim().split(/\s+/);
  const hasUser = [firstName, email, phone].some(Boolean);
  const user = {
    email,
    first_name: firstName,
    last_name: others.join(' '),
    mobile_number: phone,
  };
  return { ...body, ...(hasUser && { user }) };
}

export function linkView({ order, url, replayed }: CreatedLink) {
  const { currency, total } = order.amounts;
  return {
    order_id: order.orderId,
    invoice_id: order.invoiceId,
    total_amount: amountText(total, currency),
    currency,
    payment_link: url,
    expires_at: order.lapsesAt.toISOString(),
    replayed,
    code: codeOf(url),
  };
}

/** A QR code as the path of an SVG whose unit is a module: browsers draw it without inline styles. */
function codeOf(url: string) {
  const { size, data } = encode(url, { ecc: 'M', border: 0 });
  const modules = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: modules.join('') };
}
