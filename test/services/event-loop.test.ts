import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translateDeliveries } from '../../src/use-cases/inbox/translate-delivery.ts';
import { deliveryOf } from '../domain/inbox/delivery.ts';
import { partnerEvent, partnerPayment } from '../support/deliveries.ts';

test('other work runs while many large bodies are read', async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 13_000 }, (_entry, index) => [`n${index}`, index]),
  );
  const body = Buffer.from(
    JSON.stringify(partnerEvent('payment.captured', { payment: partnerPayment({ notes }) })),
  );
  const delivery = deliveryOf({ body });
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const translated = await translateDeliveries(Array.from({ length: 50 }, () => delivery));
  clearImmediate(counting);
  assert.equal(translated.length, 50);
  // Each body takes a millisecond at least.
  assert.ok(turns >= 4, `${turns} turns of the event loop`);
});
