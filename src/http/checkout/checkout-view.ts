/** The page of a checkout in each of its states. Contract 14.2 and 14.3. */
import type { FastifyReply } from 'fastify';
import type { Checkout } from '../../use-cases/checkout/get-checkout.ts';
import { brandOf } from './brand.ts';
import type { Problem, SentForm } from './checkout-form.ts';
import { chooseView } from './choose-view.ts';
import { type Html, html } from './html.ts';
import { type Language, languages } from './language.ts';
import { orderSummary } from './order-summary.ts';
import { noticeView, paidView, type WayBack } from './outcome-view.ts';
import { type Page, sendPage } from './page.ts';
import { waitingView } from './waiting-view.ts';
import type { Words } from './words/words.ts';

type ViewOptions = {
  /** The path of PUBLIC_URL. */
  readonly basePath: string;
  readonly language: Language;
  readonly formKey: string;
  /** What the consumer sent before, if the form is shown again. */
  readonly form: SentForm | undefined;
  readonly problem: Problem | undefined;
};

/** Paid consumers return to the shop by themselves after this time. */
const returnAfterSeconds = 5;

export function sendCheckout(
  reply: FastifyReply,
  checkout: Checkout,
  options: ViewOptions,
): FastifyReply {
  const { account, order } = checkout;
  const words = languages[options.language];
  const { basePath } = options;
  const page = `${basePath}/checkout/${order.orderId}`;
  const back = wayBackOf(checkout, basePath);
  return sendPage(reply, {
    language: options.language,
    title: words.title(account.name),
    brand: brandOf(account, basePath),
    content: contentOf(words, checkout, options, back),
    state: stateOf(checkout),
    ...(checkout.step.kind === 'waiting' && { poll: { stateUrl: `${page}/state`, pageUrl: page } }),
    ...refreshOf(checkout, page, back),
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
      return html`${choose(words, checkout, options)}${orderSummary(words, checkout.order, true)}`;
    case 'waiting':
      return html`${waiting(words, checkout, options)}${orderSummary(words, checkout.order, false)}`;
    case 'paid':
      return paidView(words, checkout, step.payment, back);
    case 'checking':
      return noticeView(
        words,
        { ...words.checking, lines: [words.checking.text] },
        'neutral',
        back,
      );
    case 'failed': {
      const reason = words.failed.reasons[step.payment.failure?.code ?? 'PAYMENT_FAILED'];
      const lines = [reason, words.failed.notCharged];
      return noticeView(words, { heading: words.failed.heading, lines }, 'bad', back);
    }
    case 'expired':
      return noticeView(words, { ...words.expired, lines: [words.expired.text] }, 'neutral', back);
    default:
      return step satisfies never;
  }
}

function choose(words: Words, checkout: Checkout, options: ViewOptions): Html {
  const { basePath, form, formKey, problem } = options;
  return chooseView(words, checkout, {
    action: `${basePath}/checkout/${checkout.order.orderId}/pay`,
    formKey,
    sent: form,
    leaveUrl: wayBackOf(checkout, basePath).url,
    problem: problem && problemText(words, problem),
  });
}

function waiting(words: Words, checkout: Checkout, options: ViewOptions): Html {
  const { basePath, formKey, problem } = options;
  const { account, order, step } = checkout;
  const start = step.kind === 'waiting' ? step.payment.start : null;
  const transactionId = step.kind === 'waiting' ? step.payment.transactionId : '';
  const page = `${basePath}/checkout/${order.orderId}`;
  return waitingView(words, checkout, {
    giveUpAction: `${page}/give-up`,
    formKey,
    continueUrl: checkout.canContinue
      ? `${basePath}/pay/${account.accountId}/${transactionId}`
      : undefined,
    intentUrl: start?.intentUrl,
    isSlow: step.kind === 'waiting' && step.isSlow,
    ownUrl: page,
    problem: problem && problem !== 'outdated' ? problemText(words, problem) : undefined,
  });
}

function problemText(words: Words, problem: Problem): string {
  switch (problem) {
    case 'pickOne':
    case 'upiIdInvalid':
    case 'unavailable':
    case 'tooMany':
      return words.choose[problem];
    case 'outdated':
      return words.errors.outdated;
    case 'stillOpen':
    case 'notReached':
      return words.waiting[problem];
    default:
      return problem satisfies never;
  }
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
