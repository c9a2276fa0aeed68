import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Delivery } from '../../../src/domain/inbox/delivery.ts';
import {
  type ProviderEventKey,
  recogniseRepeats,
  withReusedEventFlag,
} from '../../../src/domain/inbox/repeats.ts';
import { deliveryOf, resultOf } from './delivery.ts';

suite('the inbox: what a repeat is', () => {
  test('the same body is a repeat under any event id', () => {
    const stored = deliveryOf({ deliveryId: 'dlv_stored', eventId: 'event-1' });
    const { repeated } = recognise(deliveryOf({ eventId: 'event-2' }), { stored: [stored] });
    assert.equal(repeated, stored);
  });

  test('the same body of another account or provider is no repeat', () => {
    for (const other of [
      { accountId: 'acc_0000000000000002' },
      { provider: 'bank-gateway' },
    ] as const) {
      assert.equal(recognise(deliveryOf(), { stored: [deliveryOf(other)] }).repeated, undefined);
    }
  });

  test('another body under a taken event id is new, stored without the id and flagged', () => {
    const delivery = deliveryOf({ eventId: 'event-1' });
    const { repeated, fresh } = recognise(delivery, { taken: ['event-1'] });
    assert.equal(repeated, undefined);
    assert.deepEqual(fresh, { ...delivery, eventId: null, flags: ['event_id_reused'] });
  });

  test('of two new bodies with one event id the first in the list gets it', () => {
    const first = deliveryOf({ deliveryId: 'dlv_1', eventId: 'event-1' });
    const second = deliveryOf({ deliveryId: 'dlv_2', deliveryKey: 'digest-2', eventId: 'event-1' });
    const recognised = recogniseRepeats([first, second], [], []);
    assert.equal(recognised.get('dlv_1')?.fresh.eventId, 'event-1');
    assert.equal(recognised.get('dlv_2')?.fresh.eventId, null);
  });
});

suite('the inbox: the flag of a reused event id', () => {
  const reused = deliveryOf({ flags: ['event_id_reused'] });

  test('an applied delivery needs review, whatever its result is', () => {
    const result = withReusedEventFlag(
      reused,
      resultOf({ why: 'flagged over_refunded', flags: ['over_refunded'] }),
    );
    assert.deepEqual(
      [result.state, result.flags],
      ['needs_review', ['event_id_reused', 'over_refunded']],
    );
    assert.equal(result.why, 'flagged over_refunded; its event id came before with another body');
  });

  test('a parked delivery stays parked with the flag', () => {
    const result = withReusedEventFlag(reused, resultOf({ state: 'parked', orderId: null }));
    assert.deepEqual([result.state, result.flags], ['parked', ['event_id_reused']]);
  });

  test('other deliveries, and a replay that changes nothing, keep their result', () => {
    const result = resultOf({ state: 'stale' });
    assert.equal(withReusedEventFlag(deliveryOf(), result), result);
    assert.equal(withReusedEventFlag({ ...reused, orderId: 'o_1' }, result), result);
  });
});

function recognise(
  delivery: Delivery,
  known: { readonly stored?: readonly Delivery[]; readonly taken?: readonly string[] },
) {
  const { accountId, provider } = delivery;
  const taken = (known.taken ?? []).map(
    (eventId): ProviderEventKey => ({ accountId, provider, eventId }),
  );
  const own = recogniseRepeats([delivery], known.stored ?? [], taken).get(delivery.deliveryId);
  assert.ok(own);
  return own;
}
