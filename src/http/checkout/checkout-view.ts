/** The page of a checkout in each of its states. Contract 14.2 and 14.3. */
import type { FastifyReply } from 'fastify';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import type { ViewOptions } from './checkout-form.ts';
import { chooseView, waitingView } from './choose-view.ts';
import { type Html, html } from './html.ts';
import { languages } from './language.ts';
import { noticeView, orderSummary, paidView, type WayBack, wayOutOfFrame } from './outcome-view.ts';
import { brandOf, type Page, sendPage } from './page.ts';
import { resultText, returnPayload } from './return-payload.ts';
import type { Words } from './words/en.ts';

/** Paid consumers return to the shop by themselves after this time. */
const returnAfterSeconds = 5;

export function sendCheckout(reply: FastifyReply, checkout: Checkout, options: ViewOptions) {
  const { account, order } = checkout;
  const words = languages[options.language];
  const { basePath } = options;
  const page = `${basePath}/checkout/${order.orderId}`;
  const back = options.frame ? wayOutOf(checkout) : wayBackOf(checkout, basePath);
  return sendPage(reply, {
    language: options.language,
    title: words.title(account.name),
    brand: brandOf(account, basePath),
    content: contentOf(words, checkout, options, back),
    state: stateOf(checkout),
    ...(checkout.step.kind === 'waiting' && { poll: { stateUrl: `${page}/state`, pageUrl: page } }),
    ...refreshOf(checkout, page, back),
    ...(options.frame && { frame: frameOf(checkout, options.frame, page) }),
    formAction: ["'self'"],
    languageUrl: (language) => `${page}/language/${language}`,
  });
}

/** Changes whenever the page would show something else. */
export function stateOf({ step, attempt }: Pick<Checkout, 'step' | 'attempt'>): string {
  const isSlow = step.kind === 'waiting' && step.isSlow;
  return `${step.kind}-${attempt}${isSlow ? '-slow' : ''}`;
}

function refreshOf(checkout: Checkout, page: string, back: WayBack): Pick<Page, 'refresh'> {
  const { step } = checkout;
  if (step.kind === 'waiting') return { refresh: { seconds: 5, url: page } };
  if (step.kind === 'paid' && back.url !== undefined) {
    return { refresh: { seconds: returnAfterSeconds, url: back.url } };
  }
  return {};
}

function contentOf(words: Words, checkout: Checkout, options: ViewOptions, back: WayBack): Html {
  const { step } = checkout;
  switch (step.kind) {
    case 'choose':
      return html`${chooseView(words, checkout, options, back.url)}${orderSummary(words, checkout.order, true)}`;
    case 'waiting':
      return html`${waitingView(words, checkout, step, options, back.url)}${orderSummary(words, checkout.order, false)}`;
    case 'paid':
      return paidView(words, checkout, step, back);
    case 'checking':
      return noticeView(words, 'neutral', words.checking.heading, [words.checking.text], back);
    case 'failed': {
      const reason = words.failed.reasons[step.payment.failure?.code ?? 'PAYMENT_FAILED'];
      const lines = [reason, words.failed.notCharged];
      return noticeView(words, 'bad', words.failed.heading, lines, back);
    }
    case 'too-late':
      return noticeView(words, 'neutral', words.tooLate.heading, [words.tooLate.text], back);
    case 'expired':
      return noticeView(words, 'neutral', words.expired.heading, [words.expired.text], back);
    default:
      return step satisfies never;
  }
}

function frameOf(
  { account, result }: Checkout,
  { token, now }: NonNullable<ViewOptions['frame']>,
  pageUrl: string,
): Page['frame'] {
  const message = resultText(returnPayload(result, now));
  return { token, pageUrl, message, origins: account.frameOrigins };
}

/** The shop waits for the end of a frame, whatever it is, and consumers may also leave before. */
function wayOutOf({ step }: Checkout): WayBack {
  const isOver = step.kind !== 'choose' && step.kind !== 'waiting';
  return { ...wayOutOfFrame, ...(isOver && { afterSeconds: returnAfterSeconds }) };
}

/**
 * With a payment, through our return page, which adds the signed result. Without one there is no result to sign, and the
 * shop's handler would not understand its absence, so the consumer gets to the shop's front page.
 */
function wayBackOf({ account, callback, step }: Checkout, basePath: string): WayBack {
  if (!callback) return { url: undefined };
  const payment = 'payment' in step ? step.payment : undefined;
  if (!payment?.start) return { url: new URL('/', callback.url).href };
  const url = `${basePath}/pay/${account.accountId}/${payment.transactionId}/return?to=shop`;
  return step.kind === 'paid' ? { url, afterSeconds: returnAfterSeconds } : { url };
}
