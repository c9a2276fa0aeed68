/** Compares the events that are stored for an account with its enquiries. */
import assert from 'node:assert/strict';
import type { ReviewFlag } from '../../src/domain/review-flag.ts';
import type { Queryable } from '../../src/postgres/database.ts';
import { listContradictions } from '../../tools/harness/compare-events.ts';
import { assertDescribed } from './described-events.ts';
import { assertVerifiable } from './plugin-signature.ts';
import type { Reply } from './test-service.ts';

type EventBody = Reply['body'];

/** The events of an account, in a random order. The reference describes each of them, and plugins can verify it. */
export async function listBodies(
  database: Queryable,
  { accountId, accessSecret }: { readonly accountId: string; readonly accessSecret: string },
): Promise<EventBody[]> {
  const { rows } = await database.query<{ body: Buffer }>({
    text: 'select body from events where account_id = $1 order by random()',
    values: [accountId],
  });
  const bodies: EventBody[] = rows.map(({ body }) => JSON.parse(body.toString('utf8')));
  for (const body of bodies) {
    assertDescribed(body);
    assertVerifiable(body, accessSecret);
  }
  return bodies;
}

/** The sequences have no gap, and the last events agree with the enquiry. */
export function assertAllAnnounced(enquiry: Reply['body'], bodies: readonly EventBody[]): void {
  const { svc_order_id: orderId } = enquiry.order;
  const events = bodies.filter(({ svc_order_id }) => svc_order_id === orderId);
  assert.deepEqual(listContradictions(enquiry, events), []);
}

/**
 * The flags that do not depend on the order of arrival. A payment that was a duplicate for a moment stays one
 * (contract 4.17), and verify judges that.
 */
export function lastingFlags(flags: readonly ReviewFlag[]): readonly ReviewFlag[] {
  return flags.filter((flag) => flag !== 'duplicate_capture');
}
