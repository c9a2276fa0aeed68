import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currencyCodes, findExponent, getExponent } from '../../../src/domain/money/currency.ts';

test('a currency has the number of decimals of ISO 4217', () => {
  const examples = {
    JPY: 0,
    KRW: 0,
    VND: 0,
    CLP: 0,
    ISK: 0,
    UGX: 0,
    XAF: 0,
    XOF: 0,
    XPF: 0,
    UYI: 0,
    INR: 2,
    USD: 2,
    EUR: 2,
    GBP: 2,
    CNY: 2,
    MGA: 2,
    MRU: 2,
    HUF: 2,
    TWD: 2,
    IDR: 2,
    BHD: 3,
    IQD: 3,
    JOD: 3,
    KWD: 3,
    LYD: 3,
    OMR: 3,
    TND: 3,
    CLF: 4,
    UYW: 4,
  };
  for (const [code, exponent] of Object.entries(examples)) {
    assert.equal(findExponent(code), exponent, code);
    assert.equal(getExponent(code), exponent, code);
  }
});

test('the latest amendments of ISO 4217 are applied', () => {
  for (const code of ['XCG', 'XAD', 'ZWG', 'SLE', 'VED']) assert.equal(findExponent(code), 2, code);
  for (const code of ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'ZWL', 'LTL']) {
    assert.equal(findExponent(code), undefined, code);
  }
});

test('a code without a minor unit is not accepted', () => {
  const metals = ['XAG', 'XAU', 'XPD', 'XPT'];
  const units = ['XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XSU', 'XUA'];
  for (const code of [...metals, ...units, 'XTS', 'XXX']) {
    assert.equal(findExponent(code), undefined, code);
    assert.equal(currencyCodes.includes(code), false, code);
  }
});

test('a text that is not an upper-case code is no currency', () => {
  const others = ['inr', 'Inr', 'INR ', ' INR', 'IN', 'INRR', '', '356', '₹', 'AAA', 'BTC'];
  for (const code of [...others, '__proto__', 'constructor', 'toString']) {
    assert.equal(findExponent(code), undefined, code);
  }
});

test('getting the decimals of an unknown currency throws', () => {
  assert.throws(() => getExponent('XXX'), /unknown currency XXX/);
});

test('every code is unique, has three upper-case letters and 0, 2, 3 or 4 decimals', () => {
  assert.equal(new Set(currencyCodes).size, currencyCodes.length);
  for (const code of currencyCodes) {
    assert.match(code, /^[A-Z]{3}$/);
    assert.ok([0, 2, 3, 4].includes(getExponent(code)), code);
  }
});
