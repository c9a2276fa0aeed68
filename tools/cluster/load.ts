/**
 * Shops and providers that call the services at a fixed rate: an order is created, paid by a signed webhook, and enquired
 * about. Whatever is not answered 2xx is repeated with the same content, as merchants and providers should.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { capturedWebhook } from '../harness/captured-webhook.ts';
import { cart } from '../harness/cart.ts';
import { send } from '../harness/send.ts';
import { waitUntil } from '../harness/wait-until.ts';

const kinds = ['create', 'webhook', 'enquiry'] as const;
type Kind = (typeof kinds)[number];

export type Answer = {
  readonly service: string;
  readonly accountId: string;
  readonly kind: Kind;
  readonly at: number;
  /** 0: no answer. */
  readonly status: number;
  readonly retryAfter: string | null;
};

/** What was answered 2xx. */
export type Acknowledged = {
  readonly shop: LoadShop;
  readonly invoiceId: string;
  readonly orderId: string;
  readonly at: number;
  isPaid: boolean;
};

export type LoadTarget = {
  readonly name: string;
  readonly baseUrl: string;
};

export type LoadShop = {
  readonly accountId: string;
  readonly webhookSecret: string;
  readonly token: string;
};

export type Load = ReturnType<typeof startLoad>;

const flowsMax = 200;
const answerMsMax = 30_000;
const pauseMs = 1_000;
const endSecondsMax = 60;

type LoadRate = {
  /** Orders that are begun in a second at each service. */
  readonly perSecond: number;
  /** Orders that are begun in the same moment, each of another shop, so that they meet in a batch; default: 1. */
  readonly atOnce?: number;
};

export function startLoad(
  targets: readonly LoadTarget[],
  shops: readonly LoadShop[],
  { perSecond, atOnce = 1 }: LoadRate,
) {
  const answers: Answer[] = [];
  const ledger: Acknowledged[] = [];
  const unanswered = new Map<string, string>();
  const over = new AbortController();
  let made = 0;
  const timers = targets.map((target) => {
    let open = 0;
    let begun = 0;
    const begin = () => {
      const shop = shops[begun % shops.length];
      begun += 1;
      // Bounded: shops that wait for an answer do not begin more and more.
      if (!shop || open >= flowsMax) return;
      open += 1;
      made += 1;
      const invoiceId = `INV-${made}`;
      const isPaid = made % 5 !== 0;
      runFlow({ target, shop, answers, ledger, unanswered, over: over.signal }, invoiceId, isPaid)
        .catch(() => {})
        .finally(() => {
          open -= 1;
        });
    };
    const beginSome = () => {
      for (let count = 0; count < atOnce; count += 1) begin();
    };
    return setInterval(beginSome, (1000 * atOnce) / perSecond);
  });
  return {
    answers: (): readonly Answer[] => answers,
    ledger: (): readonly Acknowledged[] => ledger,
    /** Starts nothing new; resolves with what was begun and is not answered 2xx after a minute. */
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      const isEmpty = () => unanswered.size === 0;
      await waitUntil('everything is answered', isEmpty, endSecondsMax).catch(() => {});
      over.abort();
      return [...unanswered].map(([invoiceId, last]) => `${invoiceId}: ${last}`);
    },
  };
}

type Flow = {
  readonly target: LoadTarget;
  readonly shop: LoadShop;
  readonly answers: Answer[];
  readonly ledger: Acknowledged[];
  /** The last answer by invoice. */
  readonly unanswered: Map<string, string>;
  /** Ends the repeats. */
  readonly over: AbortSignal;
};

async function runFlow(flow: Flow, invoiceId: string, isPaid: boolean): Promise<void> {
  const { target, shop, ledger } = flow;
  const created = await untilAnswered(flow, invoiceId, 'create', (signal) =>
    post(target, shop, 'create-order', cart(invoiceId, '118.00'), signal),
  );
  const { order_id: orderId } = JSON.parse(created) as { order_id: string };
  const entry: Acknowledged = { shop, invoiceId, orderId, at: performance.now(), isPaid: false };
  ledger.push(entry);
  // Some orders are never paid and must stay `new`.
  if (!isPaid) return;
  await untilAnswered(flow, invoiceId, 'webhook', (signal) =>
    send(target.baseUrl, capturedWebhook(shop, orderId, { svc_order_id: orderId }), signal),
  );
  entry.isPaid = true;
  await untilAnswered(flow, invoiceId, 'enquiry', (signal) =>
    enquire(target, shop, invoiceId, signal),
  );
}

export function enquire(
  target: LoadTarget,
  shop: LoadShop,
  invoiceId: string,
  signal?: AbortSignal,
): Promise<Response> {
  return post(target, shop, 'transaction-enquiry', { invoice_id: invoiceId }, signal);
}

function post(
  { baseUrl }: LoadTarget,
  { token }: LoadShop,
  call: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return send(baseUrl, { path: `/api/v3/${call}`, headers, body: JSON.stringify(body) }, signal);
}

async function untilAnswered(
  { target, shop, answers, unanswered, over }: Flow,
  invoiceId: string,
  kind: Kind,
  call: (signal: AbortSignal) => Promise<Response>,
): Promise<string> {
  for (;;) {
    unanswered.set(invoiceId, `${kind} at ${target.name} waits for its answer`);
    const { status, text, retryAfter } = await answerOf(call(AbortSignal.timeout(answerMsMax)));
    const at = performance.now();
    const { accountId } = shop;
    answers.push({ service: target.name, accountId, kind, at, status, retryAfter });
    unanswered.set(invoiceId, `${kind} at ${target.name}: ${status} ${text}`);
    if (status >= 200 && status < 300) {
      unanswered.delete(invoiceId);
      return text;
    }
    await delay(Number(retryAfter ?? 0) * 1000 || pauseMs, undefined, { signal: over });
  }
}

/** The status is 0 if there was none in time. */
async function answerOf(responding: Promise<Response>) {
  try {
    const response = await responding;
    const text = await response.text();
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    return { status: 0, text: String(error), retryAfter: null };
  }
}
