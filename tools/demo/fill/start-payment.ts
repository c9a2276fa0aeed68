/** A consumer chooses how to pay: on the checkout page, through a payment link, or on a page of the shop. */
import { newBrowser } from '../../harness/plain-browser.ts';
import { startAtCheckout } from '../start-at-checkout.ts';
import type { FillStage } from './open-past.ts';
import type { ModeCode, PlannedOrder } from './plan-orders.ts';

export type PlacedOrder = {
  readonly plan: PlannedOrder;
  readonly orderId: string;
  readonly token: string;
  readonly link?: string;
};

/** Returns the address that leads to the page of the provider. */
export async function startPayment(
  stage: FillStage,
  placed: PlacedOrder,
  mode: ModeCode,
  way: PlannedOrder['way'] = placed.plan.way,
): Promise<string> {
  const { baseUrl, client } = stage;
  const { orderId } = placed;
  // Banks and wallets are picked in the shop.
  const isPlain = mode !== 'net_banking' && mode !== 'wallet';
  if (way !== 'shop' && isPlain) {
    const token = placed.link === undefined ? placed.token : await openLink(baseUrl, placed.link);
    const url = await startAtCheckout(baseUrl, { orderId, token }, mode);
    if (url !== undefined) return url;
  }
  const { next } = await client.initiatePayment({
    order_id: orderId,
    payment_mode_code: mode,
    ...choiceOf(mode, placed.plan),
  });
  const url = next.find(({ action }) => action === 'redirect')?.url;
  if (url === undefined) throw new Error(`order ${orderId} has no page to pay at`);
  return url;
}

/** The token to which the link leads. */
async function openLink(baseUrl: string, link: string): Promise<string> {
  const { location } = await newBrowser({ baseUrl }).get(new URL(link).pathname);
  return new URL(location ?? '', baseUrl).searchParams.get('token') ?? '';
}

function choiceOf(mode: ModeCode, { consumer, random }: PlannedOrder): Record<string, string> {
  switch (mode) {
    case 'upi':
      return random() < 0.5 ? { upi_id: `${consumer.firstName.toLowerCase()}@okbank` } : {};
    case 'net_banking':
      return { bank_code: random() < 0.6 ? 'HDFC' : 'ICIC' };
    case 'wallet':
      return { wallet_code: random() < 0.7 ? 'paytm' : 'phonepe' };
    default:
      return {};
  }
}
