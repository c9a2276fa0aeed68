/**
 * Erases personal data from the events of an order. A body that nobody waits for any more is deleted; one that is still
 * to be sent is rewritten, because the shop must learn the result all the same. Contract 8.7.
 */
import { type Account, liveSecrets } from '../../domain/accounts/account.ts';
import { type ConsumerRelation, scrubTexts } from '../../domain/consumers/erase.ts';
import type { Scrub } from '../../domain/consumers/scrub.ts';
import type { Transaction } from '../../postgres/database.ts';
import { openPayload, sealPayload } from '../../security/sealed-payload.ts';
import {
  deleteFinishedBodies,
  listWaitingBodies,
  saveEventBody,
} from '../../store/events/event-bodies.ts';
import type { OrderKey } from '../../store/order-rows.ts';

type Erasing = {
  readonly scrub: Scrub;
  readonly relation: ConsumerRelation;
  readonly now: Date;
};

/** The order must be locked. Returns how many events were changed. */
export async function eraseEvents(
  tx: Transaction,
  account: Account | undefined,
  key: OrderKey,
  erasing: Erasing,
): Promise<number> {
  const deleted = await deleteFinishedBodies(tx, key);
  const waiting = await listWaitingBodies(tx, key);
  for (const { sequence, body } of waiting) {
    await saveEventBody(tx, { ...key, sequence }, eraseBody(body, account, erasing));
  }
  return deleted + waiting.length;
}

/** Null if it cannot be opened: the secret that sealed it has expired, so the shop cannot open it either. */
function eraseBody(body: Buffer, account: Account | undefined, erasing: Erasing): Buffer | null {
  const payload = JSON.parse(body.toString('utf8'));
  const { encrypted_response: sealed } = payload;
  if (typeof sealed !== 'string') return toBytes(erasePayload(payload, erasing));
  for (const secret of account ? liveSecrets(account, 'access-secret', erasing.now) : []) {
    const opened = openPayload(sealed, secret);
    if (!opened) continue;
    const erased = JSON.stringify(erasePayload(JSON.parse(opened.toString('utf8')), erasing));
    return toBytes({ ...payload, encrypted_response: sealPayload(erased, secret) });
  }
  return null;
}

function erasePayload(payload: object, { scrub, relation }: Erasing): unknown {
  return scrubTexts(relation === 'own' ? { ...payload, user: null } : payload, scrub);
}

function toBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
