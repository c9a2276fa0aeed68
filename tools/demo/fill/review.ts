/** A person works through what needs one: closes flags with a note, and tries a dead delivery again. */
import type { Actor } from '../../../src/domain/audit.ts';
import { retryDelivery } from '../../../src/use-cases/inbox/retry-deliveries.ts';
import { listReview, type ReviewEntry } from '../../../src/use-cases/review/list-review.ts';
import { resolveReview } from '../../../src/use-cases/review/resolve-review.ts';
import type { FillStage } from './fill-stage.ts';

const notes: Readonly<Record<string, string>> = {
  payment_reversed: 'The customer cancelled by phone. Nothing was sent.',
  duplicate_capture: 'Paid twice by mistake; the second payment is refunded with the next batch.',
  partially_captured: 'Two items were out of stock; the rest was sent.',
  chargeback: 'Proof of delivery sent to the bank.',
  dispute: 'Proof of delivery uploaded at the partner.',
  amount_mismatch: 'Paid at the counter without the gift wrapping. Fine.',
};

/** Every second one stays open. */
export async function review(stage: FillStage, actor: Actor): Promise<void> {
  const { services, accountId } = stage;
  const { entries = [] } = (await listReview(services, { accountId, limit: 100 })) ?? {};
  for (const entry of entries.filter((_entry, index) => index % 2 === 0)) {
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
