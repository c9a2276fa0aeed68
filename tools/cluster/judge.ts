/** Compares what was answered 2xx with what the service knows now: nothing lost, nothing twice. */
import { pollUntil } from '../harness/wait-until.ts';
import { type Acknowledged, enquire, type LoadTarget } from './load.ts';

export type Verdict = {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
};

type Enquiry = {
  readonly order: { readonly svc_order_id: string; readonly status: string };
  readonly transaction: readonly { readonly payment_status: string }[];
};

const atOnce = 16;

export async function judge(
  target: LoadTarget,
  entries: readonly Acknowledged[],
): Promise<Verdict> {
  const lost: string[] = [];
  const doubled: string[] = [];
  for (let from = 0; from < entries.length; from += atOnce) {
    const part = entries.slice(from, from + atOnce);
    await Promise.all(
      part.map(async (entry) => {
        // Before the answer: a webhook that is acknowledged meanwhile may not be part of it.
        const { isPaid } = entry;
        const { isFound, text } = await enquireAtLast(target, entry);
        const loss = isFound ? findLoss(entry, isPaid, JSON.parse(text)) : text;
        if (loss) lost.push(`${entry.invoiceId}: ${loss}`);
        else if (JSON.parse(text).transaction.length > 1) doubled.push(entry.invoiceId);
      }),
    );
  }
  return { lost, doubled };
}

/** A service that is busy is asked again: only an answer says whether something is lost. */
async function enquireAtLast(target: LoadTarget, { shop, invoiceId }: Acknowledged) {
  return pollUntil(
    async () => {
      const response = await enquire(target, shop, invoiceId);
      return { isFound: response.ok, status: response.status, text: await response.text() };
    },
    ({ status }) => status !== 503,
    { secondsMax: 60, pauseMs: 1_000, explain: ({ text }) => text },
  );
}

function findLoss(entry: Acknowledged, isPaid: boolean, found: Enquiry): string | undefined {
  const { order, transaction } = found;
  if (order.svc_order_id !== entry.orderId)
    return `answered as ${entry.orderId}, is ${order.svc_order_id}`;
  if (!isPaid) return undefined;
  const isKnown = transaction.some(({ payment_status }) => payment_status === 'succeeded');
  return order.status === 'completed' && isKnown ? undefined : `paid, and is ${order.status}`;
}
