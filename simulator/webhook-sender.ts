/**
 * Sends webhooks as the providers do: in order or not, once or in several copies, with retries until they are
 * acknowledged or given up.
 */
import { behaviourOf } from './behaviours.ts';
import { randomOf } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Schedule } from './schedule.ts';
import { type Answer, isAcknowledged, sendCutOff, sendWhole } from './webhook-attempt.ts';

export type Webhook = {
  /** The same on every repeat. */
  readonly id: string;
  readonly label: string;
  readonly url: string;
  readonly body: string;
  readonly answerWithinMs: number;
  /** The delays before each retry, in unscaled seconds. */
  readonly ladderSeconds: readonly number[];
  /** A forged attempt is signed with a secret other than the shop's. */
  readonly headers: (attempt: number, isForged: boolean) => Readonly<Record<string, string>>;
};

export type WebhookSender = {
  /** A lane is the unit of ordering: the webhooks of one payment and its refunds. */
  readonly post: (lane: string, webhooks: readonly Webhook[], scenario: Scenario) => void;
};

type Post = { readonly webhook: Webhook; readonly scenario: Scenario };

/** How long a lane collects webhooks before it sends them in reverse order. */
const gatherMs = 2_000;

export function openWebhookSender(
  seed: number,
  schedule: Schedule,
  log: (line: string) => void,
): WebhookSender {
  const lanes = new Map<string, Promise<void>>();
  const gathering = new Map<string, Post[]>();
  const sending = { schedule, log };

  return {
    post: (lane, webhooks, scenario) => {
      const posts = webhooks.map((webhook) => ({ webhook, scenario }));
      const { webhooks: order } = behaviourOf(scenario);
      if (order === 'never') {
        for (const { label } of webhooks) log(`webhook: ${label}: lost on purpose`);
      } else if (order === 'reversed') gather(lane, posts);
      else if (scenario.scatter) for (const post of posts) scatter(post, scenario.scatter);
      else sendPipelined(lane, posts);
    },
  };

  /** Each webhook starts after the first attempt of the previous one was answered, with any status. */
  function sendPipelined(lane: string, posts: readonly Post[]): void {
    schedule.run(async () => {
      const before = lanes.get(lane);
      const mine = (async () => {
        await before?.catch(() => undefined);
        for (const post of posts) await sendCopies(sending, post, copiesOf(post.scenario));
      })();
      lanes.set(lane, mine);
      await mine.finally(() => {
        if (lanes.get(lane) === mine) lanes.delete(lane);
      });
    });
  }

  function gather(lane: string, posts: readonly Post[]): void {
    const waiting = gathering.get(lane);
    if (waiting) {
      waiting.push(...posts);
      return;
    }
    const gathered = [...posts];
    gathering.set(lane, gathered);
    schedule.run(async () => {
      const delayMs = posts[0]?.scenario.delayMs;
      // Collects as long as more arrive.
      for (let seen = 0; seen < gathered.length; ) {
        seen = gathered.length;
        await schedule.wait(gatherMs, delayMs);
      }
      gathering.delete(lane);
      sendPipelined(lane, gathered.toReversed());
    });
  }

  function scatter(post: Post, { windowMs, copiesMax }: NonNullable<Scenario['scatter']>): void {
    const random = randomOf(seed, `scatter:${post.webhook.id}`);
    const copies = copiesOf(post.scenario) + Math.floor(random() * copiesMax);
    for (let copy = 0; copy < copies; copy += 1) {
      const delayMs = random() * windowMs;
      schedule.run(async () => {
        await schedule.wait(delayMs);
        await sendCopies(sending, post, 1);
      });
    }
  }
}

type Sending = { readonly schedule: Schedule; readonly log: (line: string) => void };

/** Resolves after the first attempt of each copy; retries continue in the background. */
async function sendCopies(
  sending: Sending,
  { webhook, scenario }: Post,
  copies: number,
): Promise<void> {
  await Promise.all(
    Array.from({ length: copies }, async () => {
      if (!isAcknowledged(await attempt(sending, webhook, scenario, 1))) {
        sending.schedule.run(() => repeat(sending, webhook, scenario));
      }
    }),
  );
}

async function repeat(sending: Sending, webhook: Webhook, scenario: Scenario): Promise<void> {
  const { schedule, log } = sending;
  for (const [index, seconds] of webhook.ladderSeconds.entries()) {
    await schedule.wait(seconds * 1000);
    if (isAcknowledged(await attempt(sending, webhook, scenario, index + 2))) return;
  }
  log(`webhook: ${webhook.label}: GIVEN UP after ${webhook.ladderSeconds.length + 1} tries`);
}

async function attempt(
  { schedule, log }: Sending,
  webhook: Webhook,
  scenario: Scenario,
  number: number,
): Promise<Answer> {
  const firstTry = number === 1 ? behaviourOf(scenario).firstTry : 'whole';
  const isHalf = firstTry === 'cut-off' && scenario.cut === 'body';
  const isBroken = firstTry === 'cut-off' && !isHalf;
  const headers = webhook.headers(number, firstTry === 'wrong-signature');
  const body = isHalf ? webhook.body.slice(0, webhook.body.length / 2) : webhook.body;
  const send = isBroken ? sendCutOff : sendWhole;
  const answer = await send({ ...webhook, headers, body }, schedule.signal);
  const trick = firstTry === 'whole' ? '' : ` (${firstTry})`;
  log(`webhook: ${webhook.label}, try ${number}${trick} → ${answer}`);
  return answer;
}

function copiesOf(scenario: Scenario): number {
  const { copies } = behaviourOf(scenario);
  return copies > 1 ? (scenario.copies ?? copies) : 1;
}
