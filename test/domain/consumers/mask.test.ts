import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  lastDigits,
  maskAddress,
  maskName,
  maskPhone,
} from '../../../src/domain/consumers/mask.ts';

test('an e-mail address or UPI id keeps the first and last character before the @', () => {
  const cases = {
    'asha@example.com': 'a***a@example.com',
    'asha.rao+shop@mail.example.com': 'a***p@mail.example.com',
    'ab@example.com': 'a***b@example.com',
    'a@example.com': 'a***a@example.com',
    'success@razorpay': 's***s@razorpay',
    '9876543210@upi': '9***0@upi',
    '"a@b"@example.com': '"***"@example.com',
    'éric@example.com': 'é***c@example.com',
  };
  for (const [address, masked] of Object.entries(cases)) {
    assert.equal(maskAddress(address), masked);
  }
});

test('an address without a part before the @ shows nothing', () => {
  for (const address of ['', '@', '@example.com', 'asha', '9876543210']) {
    assert.equal(maskAddress(address), '***');
  }
});

test('characters outside the basic plane are not split', () => {
  assert.equal(maskAddress('𝒜sh𝒶@example.com'), '𝒜***𝒶@example.com');
  assert.equal(maskName('𝒜sha'), '𝒜***');
});

test('a phone number keeps its last four digits with a star for each other', () => {
  const cases = {
    '9876543210': '******3210',
    '12345': '*2345',
    '1234': '1234',
    '123456789012345': '***********2345',
  };
  for (const [phone, masked] of Object.entries(cases)) assert.equal(maskPhone(phone), masked);
});

test('a name keeps its first letter', () => {
  const cases = { Asha: 'A***', A: 'A***', 'Asha Rao': 'A***', Émile: 'É***', '': '***' };
  for (const [name, masked] of Object.entries(cases)) assert.equal(maskName(name), masked);
});

test('a masked address or name does not reveal the hidden part, nor its length', () => {
  const hidden = fc.string({ minLength: 0, maxLength: 40 }).map((text) => text.replace(/@/g, ''));
  fc.assert(
    fc.property(hidden, (middle) => {
      assert.equal(maskAddress(`a${middle}z@example.com`), 'a***z@example.com');
      assert.equal(maskName(`A${middle}`), 'A***');
    }),
    { numRuns: 1_000 },
  );
});

test('a masked phone number has as many characters as the number', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{4,15}$/), (phone) => {
      const masked = maskPhone(phone);
      assert.equal(masked.length, phone.length);
      assert.match(masked, /^\**\d{4}$/);
      assert.equal(masked.slice(-4), phone.slice(-4));
    }),
    { numRuns: 1_000 },
  );
});

test('of an account number at most four characters are shown, and never more than half', () => {
  const cases = {
    '50100123456789': '6789',
    '12345678': '5678',
    '123456': '456',
    '12': '2',
    '1': '',
  };
  for (const [number, shown] of Object.entries(cases)) assert.equal(lastDigits(number), shown);
  assert.equal(lastDigits(''), '');
});
