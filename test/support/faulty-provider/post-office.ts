/** Webhooks of the simulator that arrive late, in another order, several times or never, as a seed decides. */
import { behaviourOf } from '../../../simulator/behaviours.ts';
import type { Random } from '../../../simulator/random.ts';
import type { Scenario } from '../../../simulator/scenario.ts';
import { isAcknowledged, sendWhole } from '../../../simulator/webhook-attempt.ts';
import type { Webhook, WebhookSender } from '../../../simulator/webhook-sender.ts';
import { inParallel } from './in-parallel.ts';

export type PostOffice = WebhookSender & {
  /** Sends what is due by now, several at a time. */
  readonly deliverDue: () => Promise<void>;
  /** Of a refund of this payment that is made meanwhile, no webhook is ever sent. */
  readonly silence: <T>(paymentId: string, refund: () => Promise<T>) => Promise<T>;
};

type Letter = { readonly webhook: Webhook; readonly dueMs: number; readonly attempt: number };

const concurrent = 16;
const repeatedAfterMs = 60_000;

/** `randomFor` gives the random numbers of the order that a webhook is about. */
export function openPostOffice(
  now: () => number,
  randomFor: (webhook: Webhook) => Random,
): PostOffice {
  let letters: readonly Letter[] = [];
  const silent = new Set<string>();
  const silenced = new Set<string>();
  const never = new AbortController().signal;

  const send = async ({ webhook, attempt }: Letter) => {
    const headers = webhook.headers(attempt, false);
    if (isAcknowledged(await sendWhole({ ...webhook, headers }, never))) return;
    const dueMs = now() + repeatedAfterMs;
    letters = [...letters, { webhook, dueMs, attempt: attempt + 1 }];
  };
  return {
    post: (lane, webhooks, scenario) => {
      if (silenced.has(laneOf(lane)))
        for (const webhook of webhooks) silent.add(subjectOf(webhook));
      const heard = webhooks.filter((webhook) => !silent.has(subjectOf(webhook)));
      const sent = heard.flatMap((webhook) =>
        delaysOf(randomFor(webhook), isNeverLost(webhook, scenario)).map((delayMs) => {
          return { webhook, dueMs: now() + delayMs, attempt: 1 };
        }),
      );
      letters = [...letters, ...sent];
    },
    deliverDue: async () => {
      const isDue = ({ dueMs }: Letter) => dueMs <= now();
      const due = letters.filter(isDue);
      letters = letters.filter((letter) => !isDue(letter));
      await inParallel(concurrent, due, send);
    },
    silence: async (paymentId, refund) => {
      const lane = laneOf(paymentId);
      silenced.add(lane);
      const made = await refund();
      silenced.delete(lane);
      return made;
    },
  };
}

/** Of the partner a payment, of the gateway an order. */
function laneOf(lane: string): string {
  return lane.split('/').at(-1)?.split('|')[0] ?? '';
}

/** The id of the payment or refund: `refund.processed rfnd_1`, `REFUND SUCCESS o_1|portal-2 (json)`. */
function subjectOf({ label }: Webhook): string {
  const words = label.split(' ');
  return (label.includes('|') ? words[2] : words[1]) ?? '';
}

/**
 * What happens to a payment or refund after it was final, disputes too: no poll would find it, and a provider repeats its
 * webhooks for a day.
 */
function isNeverLost({ label, body }: Webhook, scenario: Scenario): boolean {
  const isElsewhere = label.startsWith('refund.')
    ? !body.includes('refund_request_id')
    : label.includes('|portal-');
  const isLate =
    behaviourOf(scenario).refund === 'failed-then-processed' &&
    /^(refund\.processed|REFUND SUCCESS)/.test(label);
  return isElsewhere || isLate || /^(VOID_|CHARGEBACK|payment\.dispute)/.test(label);
}

/** One for each copy. */
function delaysOf(random: Random, isNeverLost: boolean): number[] {
  const luck = random();
  if (luck < 0.2 && !isNeverLost) return [];
  const copies = luck < 0.85 ? 1 : 2;
  return Array.from({ length: copies }, () => {
    const kind = random();
    if (kind < 0.5) return 0;
    return Math.floor(random() * (kind < 0.8 ? 120_000 : 4 * 3_600_000));
  });
}
