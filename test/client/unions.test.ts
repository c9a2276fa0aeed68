/** The client depends on nothing of the service, so its types repeat the service's lists. They must not drift apart. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Static } from 'typebox';
import type {
  CurrencyConversion,
  Enquiry,
  Order,
  PaymentLink,
  Transaction,
  User,
} from '../../client/client.js';
import { signatureVersions } from '../../src/domain/accounts/account.ts';
import { errorTable } from '../../src/domain/errors.ts';
import { eventTypes } from '../../src/domain/event-type.ts';
import type { ReturnStatus } from '../../src/domain/order-state/payment-return.ts';
import { paymentModeCodes } from '../../src/domain/payment-mode.ts';
import { failureTable } from '../../src/domain/payments/failure.ts';
import { paymentStatuses, refundStatuses } from '../../src/domain/payments/notice.ts';
import type { EnquiryReply, TransactionReply } from '../../src/http/merchant/enquiry-schemas.ts';
import {
  type CurrencyConversionReply,
  type FullOrderReply,
  OrderReply,
  type UserReply,
} from '../../src/http/merchant/order-reply-schemas.ts';
import type { PaymentLinkReply } from '../../src/http/merchant/payment-link.ts';
import type { TransactionType } from '../../src/services/enquiry.ts';
import { projectDir } from '../../tools/harness/project.ts';

const types = await readFile(join(projectDir, 'client/client.d.cts'), 'utf8');
const contract = await readFile(join(projectDir, 'docs/contract.md'), 'utf8');

/** The compiler proves that each is complete. */
const transactionTypes = { payment: 1, full_refund: 1, partial_refund: 1 } satisfies Record<
  TransactionType,
  1
>;
const returnStatuses = { success: 1, failed: 1, pending: 1 } satisfies Record<ReturnStatus, 1>;

/** The compiler also proves that the replies have the same fields: never if they do not. */
type SameFields<Ours, Theirs> = [keyof Ours, keyof Theirs] extends [keyof Theirs, keyof Ours]
  ? true
  : never;
type Reply = Static<typeof EnquiryReply>;
true satisfies SameFields<Order, Static<typeof FullOrderReply>>;
true satisfies SameFields<PaymentLink, Static<typeof PaymentLinkReply & typeof FullOrderReply>>;
true satisfies SameFields<User, Static<typeof UserReply>>;
true satisfies SameFields<CurrencyConversion, Static<typeof CurrencyConversionReply>>;
true satisfies SameFields<Transaction, Static<typeof TransactionReply>>;
true satisfies SameFields<Enquiry['order'], Reply['order']>;

const lists: Readonly<Record<string, readonly string[]>> = {
  ServiceErrorCode: Object.keys(errorTable),
  FailureCode: Object.keys(failureTable),
  PaymentStatus: paymentStatuses,
  RefundStatus: refundStatuses,
  OrderStatus: (OrderReply.properties.status as unknown as { enum: string[] }).enum,
  PaymentModeCode: paymentModeCodes,
  TransactionType: Object.keys(transactionTypes),
  ReturnStatus: Object.keys(returnStatuses),
  SignatureVersion: signatureVersions,
  // `endpoint test` sends its own type, which no change of an order has.
  EventType: [...eventTypes, 'test'],
};
for (const [name, list] of Object.entries(lists)) {
  test(`the type ${name} of the client has the values of the service`, () => {
    assert.deepEqual(valuesOf(name).toSorted(), list.toSorted());
  });
}

test('the type PaymentModeName of the client has the values of the contract', () => {
  const [, row = ''] = /^\| `payment_mode` \| (.*) \|$/m.exec(contract) ?? [];
  const names = [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  assert.ok(names.length > 5);
  assert.deepEqual(valuesOf('PaymentModeName').toSorted(), names.toSorted());
});

/** The members of a union of texts. */
function valuesOf(name: string): string[] {
  const [, union = ''] = new RegExp(`export type ${name} =([^;]*);`).exec(types) ?? [];
  return [...union.matchAll(/'([^']+)'/g)].map(([, value = '']) => value);
}
