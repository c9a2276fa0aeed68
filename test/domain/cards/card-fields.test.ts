import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  type ExemptFields,
  isCardField,
  isSecurityCode,
  maskField,
  maskFields,
  maskPair,
  mayHoldCardData,
} from '../../../src/domain/cards/card-fields.ts';

const card = '4111111111111111';
const masked = '411111******1111';

test('every text, number and name is masked; a value without card data is returned unchanged', () => {
  assert.deepEqual(
    maskFields({
      id: card,
      reference: `x ${card}`,
      promo_code: card,
      contact: card,
      count: 4111111111111111,
      small: 12,
      yes: true,
      none: null,
      [card]: [card, { [`k ${card}`]: card }],
    }),
    {
      id: masked,
      reference: `x ${masked}`,
      promo_code: masked,
      contact: masked,
      count: masked,
      small: 12,
      yes: true,
      none: null,
      [masked]: [masked, { [`k ${masked}`]: masked }],
    },
  );
  const clean = { a: [{ b: 'text' }, 5], c: null };
  assert.equal(maskFields(clean), clean);
});

test('in a card field, a number is masked without a valid checksum', () => {
  const other = '4111111111111112';
  const kept = '411111******1112';
  assert.deepEqual(
    maskFields({
      card: { number: other, deep: [other] },
      card_number: other,
      PAN: other,
      at: other,
    }),
    { card: { number: kept, deep: [kept] }, card_number: kept, PAN: kept, at: other },
  );
  for (const name of [
    'card',
    'cardNumber',
    'Card No',
    'credit_card',
    'pan',
    'panNumber',
    'cc_num',
    'ｃａｒｄ',
  ]) {
    assert.ok(isCardField(name), name);
  }
  for (const name of ['company', 'panel', 'account', 'number', 'description', 'Japan']) {
    assert.equal(isCardField(name), false, name);
  }
});

test('security codes are removed under every name', () => {
  const names = [
    ...[
      'cvv',
      'CVV2',
      'cvc',
      'Cvc2',
      'cvn',
      'csc',
      'securityCode',
      'security_code',
      'SecurityCode',
    ],
    'cvvCode',
    'cvv_code',
    'card_cvv',
    'cardCvv',
    'CARD-CVC',
    'cardSecurityCode',
    'cvnNumber',
    'card_security_code',
    'security code',
    'ＣＶＶ',
    'payment_cvv',
    'cvvResult',
  ];
  for (const name of names) {
    assert.ok(isSecurityCode(name), name);
    assert.deepEqual(maskFields({ [name]: '123', kept: 1 }), { kept: 1 }, name);
    assert.deepEqual(maskFields({ [name]: { value: [123], x: null } }), {}, name);
    assert.equal(maskPair(name, '123'), undefined);
  }
  for (const name of ['description', 'discount', 'code', 'security', 'promo_code', 'cv', 'disc']) {
    assert.equal(isSecurityCode(name), false, name);
  }
  assert.deepEqual(maskPair(`x ${card}`, card), [`x ${masked}`, masked]);
});

test('a body is looked at if it has enough digits in any spelling, and other bodies are not', () => {
  for (const four of [
    '4',
    '\\u0034',
    '\\\\u0034',
    '&#52;',
    '&#x34;',
    '%34',
    '%26%23x34;',
    '%5Cu0034',
  ]) {
    assert.ok(mayHoldCardData(`{"a":"${four.repeat(16)}"}`), four);
  }
  assert.equal(mayHoldCardData('{"a":"x & y","b":["411111******1111",7]}'), false);
});

suite('with exempt fields', () => {
  const exempt: ExemptFields = {
    references: /^order\.(?:id|items\.sku)$/,
    amounts: /^order\.amount$/,
    checkResults: /^response\.cardSecurityCode\.gatewayCode$/,
  };
  test('only the exempt paths stay unmasked', () => {
    assert.deepEqual(
      maskFields(
        { order: { id: card, items: [{ sku: card }], note: { id: card } }, id: card },
        exempt,
      ),
      { order: { id: card, items: [{ sku: card }], note: { id: masked } }, id: masked },
    );
    assert.deepEqual(maskFields({ 'order.id': card }, exempt), { 'order.id': masked });
  });
  test('an amount field stays unmasked only for possible amounts', () => {
    const amounts = { order: { amount: 4222222222222 } };
    assert.equal(maskFields(amounts, exempt), amounts);
    assert.deepEqual(maskFields({ order: { amount: 4111111111111111 } }, exempt), {
      order: { amount: masked },
    });
    assert.deepEqual(maskFields({ order: { amount: '4111 1111 1111 1111' } }, exempt), {
      order: { amount: '4111 11** **** 1111' },
    });
  });
  test('the result of a security code check stays, the code does not', () => {
    const body = { response: { cardSecurityCode: { gatewayCode: 'MATCH' } } };
    assert.equal(maskFields(body, exempt), body);
    assert.deepEqual(
      maskFields({ response: { cardSecurityCode: { gatewayCode: 'MATCH', code: '123' } } }, exempt),
      body,
    );
    assert.deepEqual(maskFields({ response: { cardSecurityCode: '123' } }, exempt), {
      response: {},
    });
  });
  test('a form field is masked according to its path', () => {
    assert.equal(maskField(['order', 'id'], card, exempt), card);
    assert.equal(maskField(['order', 'note'], card, exempt), masked);
    assert.equal(
      maskField(['card', 'x', 'number'], '4111111111111112', exempt),
      '411111******1112',
    );
    assert.equal(maskField(['card', 'securityCode'], '123', exempt), undefined);
    assert.equal(maskField(['response', 'cardSecurityCode', 'gatewayCode'], 'M', exempt), 'M');
  });
});
