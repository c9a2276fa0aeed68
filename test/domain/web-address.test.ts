import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findOrigin } from '../../src/domain/web-address.ts';

const origins: [text: string, origin: string | undefined][] = [
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example'],
  ['https://SHOP.example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1', 'http://127.0.0.1'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['http://shop.example', undefined],
  ['https://shop.example/back', undefined],
  ['https://shop.example?x', undefined],
  ['https://shop.example#x', undefined],
  ['https://user@shop.example', undefined],
  ['https://*.shop.example', undefined],
  ['https://', undefined],
  ['ftp://shop.example', undefined],
  ['shop.example', undefined],
  ['*', undefined],
  ['', undefined],
];
for (const [text, origin] of origins) {
  test(`${JSON.stringify(text)} is ${origin ? `the origin ${origin}` : 'no origin'}`, () => {
    assert.equal(findOrigin(text), origin);
  });
}
