/** The calls of payment links, and what a consumer does with one. */
import assert from 'node:assert/strict';
import type { Journey } from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import type { Reply } from '../../support/test-service.ts';

export function linkCalls({ service, shop }: Pick<Journey, 'service' | 'shop'>) {
  // A new token for each call: an earlier one may have expired when the clock was moved.
  const call = async (path: string, body: object, method = 'POST') => {
    const { token } = await issueMerchantToken(service.services, shop.accountId);
    return service.call(`/api/v3/${path}`, { token, body, method });
  };
  const openPage = async ({ payment_link }: Reply['body']) => {
    const { pathname } = new URL(payment_link);
    const reply = await fetch(`${service.baseUrl}${pathname}`, { redirect: 'manual' });
    return { status: reply.status, headers: reply.headers, body: await reply.text() };
  };
  return {
    call,
    openPage,
    createLink: async (changes: Record<string, unknown> = {}): Promise<Reply['body']> => {
      const sent = orderBody(changes);
      const { status, body } = await call('payment-link', sent);
      assert.equal(status, 200, JSON.stringify(body));
      return { ...body, sent };
    },
    enquire: (names: object) => call('payment-link/enquiry', names),
    cancel: (names: object) => call('payment-link/actions', { action: 'cancel', ...names }),
    update: (changes: object) => call('payment-link', changes, 'PATCH'),
    /** As a browser that follows the link. */
    openCheckout: async (link: Reply['body']) => {
      const { headers } = await openPage(link);
      const { search } = new URL(headers.get('location') ?? '', `${service.baseUrl}/l/x`);
      await fetch(`${service.baseUrl}/checkout${search}`, { redirect: 'manual' });
    },
  };
}
