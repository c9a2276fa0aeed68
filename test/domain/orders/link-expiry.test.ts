/** When a payment link expires: which times are accepted. Contract 14.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../src/domain/errors.ts';
import { readLinkExpiry } from '../../../src/domain/orders/link-expiry.ts';

const now = new Date('2026-11-17T10:00:00.000Z');

test('a time with its zone is read, whatever its precision', () => {
  for (const [text, expected] of [
    ['2026-12-31T18:30:00Z', '2026-12-31T18:30:00.000Z'],
    ['2026-12-31T18:30Z', '2026-12-31T18:30:00.000Z'],
    ['2026-12-31T18:30:00.25Z', '2026-12-31T18:30:00.250Z'],
    ['2026-12-31T18:30:00.123456789Z', '2026-12-31T18:30:00.123Z'],
    ['2027-01-01T00:00:00+05:30', '2026-12-31T18:30:00.000Z'],
    ['2026-12-31T13:30:00-05:00', '2026-12-31T18:30:00.000Z'],
    ['2027-02-28T23:59:59Z', '2027-02-28T23:59:59.000Z'],
    // Of existing clients, in UTC. Contract 19.2.
    ['2026-12-31 18:30:00', '2026-12-31T18:30:00.000Z'],
    ['2026-11-17 10:00:01', '2026-11-17T10:00:01.000Z'],
  ] as const) {
    assert.equal(readLinkExpiry(text, now).toISOString(), expected, text);
  }
});

test('a text that is not a time with its zone is refused', () => {
  for (const text of [
    '2026-12-31',
    '2026-12-31T18:30:00',
    '2026-12-31 18:30:00Z',
    '2026-12-31 18:30',
    '2026-12-31 18:30:60',
    '2026-12-31 24:00:00',
    '2026-02-30 00:00:00',
    '2026-12-31 18:30:00+05:30',
    '2026-12-31T18:30:00z',
    '2026-12-31T18:30:00+0530',
    '2026-12-31T18:30:00+05',
    '2026-12-31T18:30:00+24:00',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-12-00T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2027-02-29T00:00:00Z',
    '2026-12-32T00:00:00Z',
    '2026-12-31T24:00:00Z',
    '2026-12-31T18:60:00Z',
    '2026-12-31T18:30:60Z',
    '1798741800',
    'tomorrow',
    '30d',
    ' 2026-12-31T18:30:00Z',
    '2026-12-31T18:30:00Z\n',
    '+012026-12-31T18:30:00Z',
  ]) {
    refuses(text, /^expires_at must be a time with its zone, such as /);
  }
});

test('it must be in the future, and at most 366 days ahead', () => {
  refuses('2026-11-17T10:00:00.000Z', /^expires_at must be in the future\.$/);
  refuses('2026-11-17T15:29:59+05:30', /^expires_at must be in the future\.$/);
  refuses('1970-01-01T00:00:00Z', /^expires_at must be in the future\.$/);
  assert.equal(readLinkExpiry('2026-11-17T10:00:00.001Z', now).getTime(), now.getTime() + 1);
  const last = new Date(now.getTime() + 366 * 86_400_000);
  assert.deepEqual(readLinkExpiry(last.toISOString(), now), last);
  const later = new Date(last.getTime() + 1).toISOString();
  refuses(later, /^expires_at must be at most 366 days ahead\.$/);
  refuses('9999-12-31T23:59:59Z', /^expires_at must be at most 366 days ahead\.$/);
});

function refuses(text: string, message: RegExp): void {
  assert.throws(
    () => readLinkExpiry(text, now),
    (error) =>
      error instanceof ServiceError &&
      error.code === 'INVALID_REQUEST_PARAMETER' &&
      message.test(error.merchantMessage),
    text,
  );
}
