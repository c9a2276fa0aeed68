/**
 * The counter of the shop takes payments at the partner directly, with the same login as the service. What belongs to an
 * order of the service names its invoice; everything else is unknown to the service and waits in its inbox.
 */
import { minorOf } from '../../../simulator/money.ts';
import { liveSecrets } from '../../../src/domain/accounts/account.ts';
import { retrySeconds } from '../../../src/domain/inbox/retry-schedule.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import type { Life } from './lives.ts';
import type { FillStage } from './open-past.ts';
import { orderBody } from './order-body.ts';
import type { PlacedOrder } from './start-payment.ts';

/** The counter forgets the gift wrapping, so the amount is not that of the order. */
const wrappingMinor = 5_000;

export async function payAtTheCounter(stage: FillStage, { plan }: PlacedOrder): Promise<void> {
  const { total_amount, currency, invoice_id } = orderBody(plan);
  const amount = (minorOf(total_amount, currency) ?? 0) - wrappingMinor;
  await sell(stage, { amount, currency, receipt: invoice_id });
}

/** A sale that has no order here. It is tried again until it is given up. */
export async function* sellAtTheCounter(stage: FillStage, at: Date, receipt: string): Life {
  yield at;
  await sell(stage, { amount: 24_900 + receipt.length * 5_000, currency: 'INR', receipt });
  for (const seconds of retrySeconds) {
    yield addSeconds(stage.clock.now(), seconds + 1);
    await stage.background.retryDeliveries();
  }
}

async function sell(
  stage: FillStage,
  order: { readonly amount: number; readonly currency: string; readonly receipt: string },
): Promise<void> {
  const { services, simulator, accountId, clock } = stage;
  const account = await services.accounts.get(accountId);
  const login = account.providerApis.partner?.login;
  const [secret] = liveSecrets(account, 'partner-key-secret', clock.now());
  const reply = await fetch(`${simulator.url}/v1/orders`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`,
    },
    body: JSON.stringify({ ...order, notes: { counter: 'Ooty' } }),
  });
  const { id } = (await reply.json()) as { id?: string };
  if (id === undefined) throw new Error(`the partner refuses the sale: ${reply.status}`);
  await simulator.pay(id);
}
