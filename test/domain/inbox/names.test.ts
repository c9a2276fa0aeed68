import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  listNames,
  listNewNames,
  listTargetNames,
} from '../../../src/domain/inbox/delivery-names.ts';
import { findOrderNames } from '../../../src/domain/inbox/translation.ts';
import type { Notice } from '../../../src/domain/payments/notice.ts';

const references = {
  providerOrderId: 'order_1',
  transactionIds: ['o_1-261114100000'],
  orderIds: ['o_1'],
  invoiceIds: ['INV-1'],
};
const captured: Notice = {
  references,
  payment: { status: 'succeeded', pspTransactionId: 'pay_1', pspOrder: 'gw-1' },
};
const voided: Notice = {
  references,
  payment: {
    status: 'reversed',
    record: 'void-payment',
    pspTransactionId: 'void_1',
    pspOrder: 'gw-1',
  },
};

suite('the inbox: the names that connect deliveries', () => {
  test('a delivery is parked for every name of its order', () => {
    assert.deepEqual(listNames(captured), [
      'o_1',
      'INV-1',
      'o_1-261114100000',
      'order_1',
      'pay_1',
      'pay_1|',
      'gw-1|',
    ]);
  });

  test('an applied delivery makes known everything but the order id and the invoice', () => {
    assert.deepEqual(listNewNames(captured), [
      'o_1-261114100000',
      'order_1',
      'pay_1',
      'pay_1|',
      'gw-1|',
    ]);
  });

  test('references that are used when no others match count as well', () => {
    const fallbacks = [{ transactionIds: [], orderIds: [], invoiceIds: ['INV-2'] }];
    const names = listNames({ references: { ...references, fallbacks } });
    assert.ok(names.includes('INV-2'));
  });

  test('a void is parked for the record it names, and for any record of its order', () => {
    assert.deepEqual(listTargetNames(voided), ['gw-1|', 'void_1|']);
    const payment = { ...voided.payment, targetPspId: 'pay_1' } as Notice['payment'];
    assert.deepEqual(listTargetNames({ references, ...(payment && { payment }) }), [
      'pay_1|',
      'gw-1|',
      'void_1|',
    ]);
  });

  test('what a void is parked for is no id of an order or a payment', () => {
    const ids = new Set(['o_1', 'INV-1', 'o_1-261114100000', 'order_1', 'pay_1', 'void_1']);
    const payment = { ...voided.payment, targetPspId: 'pay_1' } as Notice['payment'];
    const names = listTargetNames({ references, ...(payment && { payment }) });
    assert.deepEqual(
      names.filter((name) => ids.has(name)),
      [],
    );
    assert.ok(
      names.some((name) => listNewNames(captured).includes(name)),
      'its target leads to it',
    );
  });

  test('a void is no record that another void could be parked for', () => {
    assert.ok(!listNewNames(voided).includes('gw-1|'));
  });

  test('notices and reports name an order, other deliveries none', () => {
    assert.equal(findOrderNames({ kind: 'notice', notice: captured }), captured);
    assert.equal(findOrderNames({ kind: 'ignored', why: 'nothing to do' }), undefined);
    assert.equal(findOrderNames({ kind: 'unreadable', why: 'no JSON' }), undefined);
  });
});
