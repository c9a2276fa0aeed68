import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  accountDefaults,
  type Branding,
  checkSettings,
} from '../../../src/domain/accounts/account.ts';
import { ServiceError } from '../../../src/domain/errors.ts';

test('branding that a shop may have is accepted', () => {
  const accepted: readonly Partial<Branding>[] = [
    { colour: '#0a7cff' },
    { supportEmail: 'help@shop.example' },
    { supportEmail: 'help+in.tea_shop@mail.shop-1.example' },
    { supportPhone: '+91 (80) 1234-5678' },
    { supportPhone: '1800 123 4567' },
    { supportPhone: '(080) 1234.5678' },
    { supportUrl: 'https://shop.example/help?from=checkout#phone' },
    { supportUrl: 'http://localhost:3000/help' },
    { frameOrigins: ['https://shop.example', 'http://127.0.0.1:8080'] },
    { upiCollect: true },
  ];
  for (const branding of accepted) checkSettings(settingsWith(branding));
});

test('a colour is accepted in the form that is stored and in no other', () => {
  for (const colour of ['#0A7CFF', '#07f', 'red', '', '#0a7cff;}']) {
    const reason = 'colour must be # and six lower-case hex digits, such as #0a7cff.';
    assert.equal(refusalOf({ colour }), reason, colour);
  }
});

test('an e-mail address that could add recipients or a text to a link is refused', () => {
  const reason = 'support email must be an e-mail address such as help@shop.example.';
  const texts = ['', 'help', '@shop.example', 'help@', 'help@shop', 'a b@shop.example'];
  const links = ['a@shop.example?bcc=b@evil.example', 'a,b@shop.example', 'a%0a@shop.example'];
  const odd = ['<a@shop.example>', 'a@shop.example\n', 'a@b@shop.example', '"a"@shop.example'];
  for (const supportEmail of [...texts, ...links, ...odd, `${'a'.repeat(242)}@shop.example`]) {
    assert.equal(refusalOf({ supportEmail }), reason, supportEmail);
  }
});

test('a phone number that could not be called is refused', () => {
  const reason = 'support phone must be a number of 4 to 15 digits such as +91 80 1234.';
  const texts = ['', '123', '+', 'call us', '+91 80 1234 ext 5', '++91801234', '1234567890123456'];
  for (const supportPhone of [...texts, '1234\n', ' 1234', '1234;', `1${' '.repeat(30)}234`]) {
    assert.equal(refusalOf({ supportPhone }), reason, supportPhone);
  }
});

test('a page for help that is no secure URL is refused', () => {
  const reason = 'support URL must be an https URL, or an http URL of this machine.';
  const texts = ['', 'shop.example', 'http://shop.example', 'javascript:alert(1)', 'mailto:a@b.c'];
  const long = `https://shop.example/${'a'.repeat(1_024)}`;
  for (const supportUrl of [...texts, 'https://user@shop.example', 'https://a b', long]) {
    assert.equal(refusalOf({ supportUrl }), reason, supportUrl);
  }
});

test('frame origins follow the rules of callback origins', () => {
  const rule =
    'must be https:// and a host, such as https://shop.example, or http:// and a host of this machine.';
  for (const origin of ['https://shop.example/', 'http://shop.example', 'https://*.example', '*']) {
    assert.equal(refusalOf({ frameOrigins: [origin] }), `frame origin ${origin} ${rule}`);
  }
  const many = Array.from({ length: 51 }, (_, index) => `https://s${index}.example`);
  assert.equal(refusalOf({ frameOrigins: many }), 'frame origins may be at most 50.');
  checkSettings(settingsWith({ frameOrigins: many.slice(1) }));
});

function settingsWith(branding: Partial<Branding>) {
  return { name: 'Tea shop', ...accountDefaults, ...branding };
}

function refusalOf(branding: Partial<Branding>): string {
  try {
    checkSettings(settingsWith(branding));
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error.merchantMessage;
  }
  throw new Error(`${JSON.stringify(branding)} is accepted`);
}
