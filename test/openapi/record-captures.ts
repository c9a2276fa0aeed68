/** Real captures and voids, with providers whose answers are scripted, and the events about them. */
import { openHeldShop } from '../api/captures/held-shop.ts';
import { anyAccount, cartOf, type Stage } from './record-merchant.ts';

export async function recordCaptures(stage: Stage): Promise<void> {
  const shop = await openHeldShop({}, stage.journey.service);
  const [capture, release] = [stage.recorder('capture'), stage.recorder('void')];
  const hold = (provider: 'partner' | 'gateway', invoice: string) =>
    shop.hold(provider, cartOf(invoice, anyAccount));

  const whole = await hold('partner', 'INV-2026-0120');
  const key = '0d5c2b3e-7a41-4c7e-9a77-6a4e4c1c9d20';
  const comment = 'shipped';
  capture.parameters({ 'Idempotency-Key': key });
  release.parameters({ 'Idempotency-Key': key });
  const all = { transaction_id: whole.transactionId, comment };
  capture.request('all', 'All that is authorised', all);
  const unsupported = await shop.capture(whole.transactionId, { capture_amount: '40.00' });
  capture.error('CAPTURE_AMOUNT_NOT_SUPPORTED', 422, unsupported);
  const made = await shop.capture(whole.transactionId, { comment }, key);
  capture.reply('captured', 'It was captured', made);
  const reused = await shop.capture(whole.transactionId, {}, key);
  capture.error('IDEMPOTENCY_KEY_REUSED', 409, reused);
  capture.error('CAPTURE_NOT_ALLOWED', 422, await shop.capture(whole.transactionId));
  const unknown = await shop.capture('o_0000000000000000-260101000000');
  capture.error('TRANSACTION_NOT_FOUND', 404, unknown);

  const part = await hold('gateway', 'INV-2026-0121');
  const some = { transaction_id: part.transactionId, capture_amount: '40.00' };
  capture.request('part', 'A part, where the provider allows it', some);
  const tooMuch = await shop.capture(part.transactionId, { capture_amount: '999.00' });
  capture.error('INVALID_CAPTURE_AMOUNT', 422, tooMuch);
  shop.script(() => 'pending');
  const waiting = await shop.capture(part.transactionId, { capture_amount: '40.00' });
  capture.reply('pending', 'Its result follows', waiting);
  shop.script(() => 'made');
  capture.error('CAPTURE_IN_PROGRESS', 409, await shop.capture(part.transactionId));
  release.error('CAPTURE_IN_PROGRESS', 409, await shop.void(part.transactionId));
  await shop.notify(part.pspId, waiting.body.transaction_id, 'CAPTURE', 40, '1', 'FAILURE');

  const released = await hold('gateway', 'INV-2026-0122');
  const reason = { comment: 'out of stock' };
  release.request('release', 'Out of stock', { transaction_id: released.transactionId, ...reason });
  shop.script(() => 'refused');
  await shop.void(released.transactionId);
  shop.script(() => 'made');
  release.reply('voided', 'It was released', await shop.void(released.transactionId, reason));
  release.error('VOID_NOT_ALLOWED', 422, await shop.void(released.transactionId));
  const asked = await hold('partner', 'INV-2026-0123');
  const pending = await shop.void(asked.transactionId);
  release.reply('pending', 'The provider has no void: the hold ends by itself', pending);

  const events = stage.recorder('events');
  const recorded = new Set<string>();
  for (const { orderId } of [whole, part, released, asked]) {
    for (const event of await shop.listEvents(orderId)) {
      const { event_type: type, message } = event;
      if (!/^(capture|void)_/.test(type) || recorded.has(type)) continue;
      recorded.add(type);
      events.request(type, message, event);
    }
  }
}
