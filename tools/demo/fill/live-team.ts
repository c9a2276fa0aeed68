/** What the people of the shop do: they join, change settings, and look after what needs a person. */
import type { Actor } from '../../../src/domain/audit.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { createEndpoint, rotateEndpoint } from '../../../src/use-cases/events/endpoints.ts';
import { resendEvents } from '../../../src/use-cases/events/resend-events.ts';
import { testEndpoint } from '../../../src/use-cases/events/test-endpoint.ts';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { listReview, type ReviewEntry } from '../../../src/use-cases/review/list-review.ts';
import { resolveReview } from '../../../src/use-cases/review/resolve-review.ts';
import { changeRole } from '../../../src/use-cases/users/change-member.ts';
import type { Life } from './lives.ts';
import type { FillStage } from './open-past.ts';
import * as people from './people.ts';
import { brand } from './tea-shop.ts';

export type Period = { readonly from: Date; readonly until: Date };

/** The endpoints that the shop has from its first day on. */
type Endpoints = { readonly shopEndpointId: string; readonly warehouseUrl: string };

const hour = 3_600;

/** The owner: sets the shop up, brings colleagues, and changes something now and then. */
export async function* liveOwner(
  stage: FillStage,
  period: Period,
  { shopEndpointId, warehouseUrl }: Endpoints,
): Life {
  const { services, accountId, simulator } = stage;
  yield addSeconds(period.from, 600);
  const owner = await people.join(stage, people.operatorOfTheService, people.meera);
  yield addSeconds(period.from, 1_500);
  const { name: _name, ...branding } = brand;
  await updateAccount(services, accountId, () => branding, owner, {});
  await testEndpoint(services, shopEndpointId, owner);
  const events = ['order_completed', 'refund_success'];
  const warehouse = await createEndpoint(services, accountId, { url: warehouseUrl, events }, owner);
  yield addSeconds(period.from, hour);
  const arun = await people.join(stage, owner, people.arun);
  for (const joining of [people.latha, people.accounts, people.intern]) {
    await people.join(stage, owner, joining);
  }

  yield during(period, 0.35);
  await people.signIn(stage, people.meera);
  const { secret } = await rotateEndpoint(services, shopEndpointId, 24 * hour, owner);
  await simulator.shop.trust(secret);
  yield during(period, 0.5);
  const latha = { accountId, userId: await people.userIdOf(stage, people.latha) };
  await changeRole(services, owner, latha, 'operator');
  yield during(period, 0.7);
  await people.signIn(stage, people.meera);
  const intern = { accountId, userId: await people.userIdOf(stage, people.intern) };
  await changeRole(services, owner, intern, null);

  yield addSeconds(period.until, -5 * hour);
  await people.signIn(stage, people.meera);
  await people.invite(stage, owner, people.nobody);
  yield addSeconds(period.until, -2 * hour);
  await askWarehouse(stage, warehouse.endpointId, arun, addSeconds(period.until, -8 * hour));
}

/** The operator looks through the review list, and leaves what is new for the next time. */
export async function* liveOperator(stage: FillStage, period: Period): Life {
  for (const share of [0.3, 0.55, 0.8]) {
    yield during(period, share);
    await people.signIn(stage, people.arun);
    const userId = await people.userIdOf(stage, people.arun);
    const { email, address } = people.arun;
    await review(stage, { name: email, userId, address });
  }
}

const notes: Readonly<Record<string, string>> = {
  payment_reversed: 'The customer cancelled by phone. Nothing was sent.',
  duplicate_capture: 'Paid twice by mistake; the second payment is refunded with the next batch.',
  partially_captured: 'Two items were out of stock; the rest was sent.',
  dispute_conflict: 'The partner confirmed on the phone that the money is gone.',
  refund_and_dispute: 'Proof of the refund sent to the bank.',
  amount_mismatch: 'Paid at the counter without the gift wrapping. Fine.',
};

/** Closes flags with a note, and tries a dead delivery again. Every second one stays open. Disputes close by themselves. */
async function review(stage: FillStage, actor: Actor): Promise<void> {
  const { services, accountId } = stage;
  const { entries = [] } = (await listReview(services, { accountId, limit: 100 })) ?? {};
  const closable = entries.filter(({ kind }) => kind !== 'dispute');
  for (const entry of closable.filter((_entry, index) => index % 2 === 0)) {
    await close(stage, actor, entry);
  }
}

async function close(
  { services, accountId }: FillStage,
  actor: Actor,
  { id, kind, reason }: ReviewEntry,
): Promise<void> {
  if (kind === 'delivery' && reason.startsWith('dead')) {
    await retryDelivery(services, accountId, id, 'requested', actor);
    return;
  }
  const note = notes[reason] ?? 'Checked with the customer.';
  const resolved = await resolveReview(services, { id, note, actor });
  if ('refusal' in resolved) throw new Error(resolved.refusal);
}

/** Whether it works again; and the events of the last hours once more. */
async function askWarehouse(
  { services }: FillStage,
  endpointId: string,
  actor: Actor,
  since: Date,
): Promise<void> {
  await testEndpoint(services, endpointId, actor);
  await resendEvents(services, { since }, endpointId, actor);
}

export function during({ from, until }: Period, share: number): Date {
  return new Date(from.getTime() + (until.getTime() - from.getTime()) * share);
}
