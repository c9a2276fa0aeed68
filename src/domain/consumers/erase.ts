/**
 * Erases personal data from orders, transactions and their history. A marker replaces it; amounts, states, ids and
 * times stay. A value is replaced in the same way everywhere, so that replay and fold still agree. Contract 8.7.
 */
import type { Change } from '../history.ts';
import type { Order, OrderDetails, User } from '../orders/order.ts';
import type { HeldNotice } from '../payments/records.ts';
import type { Start } from '../payments/start.ts';
import type {
  StoredPaymentNotice,
  StoredRefundNotice,
  Transaction,
} from '../payments/transaction.ts';
import { phoneOf } from './erased-consumer.ts';
import { erasedMarker, type PersonalValues, type Scrub } from './scrub.ts';

/** Whether the order is the erased consumer's own, or another consumer's that only mentions them. */
export type ConsumerRelation = 'own' | 'mentioned';

export function personalValuesOf(
  { user, ipAddress }: OrderDetails,
  transactions: readonly Transaction[],
  relation: ConsumerRelation,
): PersonalValues {
  const upiIds = transactions.flatMap(listUpiIds);
  if (relation === 'mentioned' || !user) return { words: upiIds, phones: [] };
  const name = [user.firstName, user.lastName].filter(Boolean).join(' ');
  const phone = phoneOf(user);
  return {
    // A first name alone is too common a word to search for.
    words: [user.email, name.includes(' ') ? name : undefined, ipAddress, ...upiIds].filter(
      (word): word is string => word !== undefined && word !== erasedMarker,
    ),
    phones: phone ? [phone] : [],
  };
}

function listUpiIds(transaction: Transaction): string[] {
  if (transaction.type === 'refund') return [];
  const { subPaymentMode, start, notices } = transaction;
  const modes = [
    subPaymentMode,
    start?.subPaymentMode,
    ...notices.map((notice) => notice.subPaymentMode),
  ];
  return modes.flatMap((mode) => mode?.upi_id ?? []).filter((id) => id !== erasedMarker);
}

export function eraseDetails(details: OrderDetails, scrub: Scrub, relation: ConsumerRelation) {
  return mapFields(details, (field, value) => eraseDetail(field, value, scrub, relation));
}

const personalFields = ['shippingAddress', 'billingAddress', 'bankAccount', 'ipAddress', 'userId'];

function eraseDetail(field: string, value: unknown, scrub: Scrub, relation: ConsumerRelation) {
  if (value === null || value === undefined) return value;
  if (relation === 'own' && field === 'user') return eraseUser(value as User);
  if (relation === 'own' && personalFields.includes(field)) return markAll(value);
  return scrubTexts(value, scrub);
}

/** E-mail address and phone number are removed: a marker would not have their format. */
function eraseUser({ countryCode, lastName }: User): User {
  const name = lastName === undefined ? {} : { lastName: erasedMarker };
  return { firstName: erasedMarker, ...name, countryCode };
}

function markAll(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return erasedMarker;
  return mapFields(value, () => erasedMarker);
}

/** Numbers and references, which may be strings too. */
const untouchedFields = new Set([
  'skuId',
  'rate',
  'quantity',
  'amountBeforeTax',
  'tax',
  'totalAmount',
  'mobileNumber',
  'countryCode',
  'currency',
]);

export function scrubTexts(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((entry) => scrubTexts(entry, scrub));
  if (typeof value !== 'object' || value === null) return value;
  return mapFields(value, (name, entry) =>
    untouchedFields.has(name) ? entry : scrubTexts(entry, scrub),
  );
}

function mapFields<Value extends object>(
  value: Value,
  map: (name: string, entry: unknown) => unknown,
): Value {
  const entries = Object.entries(value).map(([name, entry]) => [name, map(name, entry)]);
  return Object.fromEntries(entries);
}

export function eraseHeld(held: HeldNotice, scrub: Scrub): HeldNotice {
  return 'payment' in held
    ? { ...held, payment: eraseFields(held.payment, scrub) }
    : { ...held, refund: eraseFields(held.refund, scrub) };
}

/** Fields of notices and of transactions have the same names. */
export function eraseFields<
  Kind extends Transaction | Partial<StoredPaymentNotice | StoredRefundNotice>,
>(value: Kind, scrub: Scrub): Kind {
  return mapFields(value, (name, entry) => eraseField(name, entry, scrub));
}

function eraseField(name: string, value: unknown, scrub: Scrub): unknown {
  if (value === null || value === undefined) return value;
  if (name === 'message') return scrub(value as string);
  if (name === 'failure') return eraseFailure(value as NonNullable<Transaction['failure']>, scrub);
  if (name === 'subPaymentMode') return eraseMode(value as Record<string, string>, scrub);
  if (name === 'start') return eraseStart(value as Start, scrub);
  if (name !== 'notices') return value;
  return (value as readonly StoredPaymentNotice[]).map((notice) => eraseFields(notice, scrub));
}

function eraseFailure(failure: NonNullable<Transaction['failure']>, scrub: Scrub) {
  return { ...failure, merchantMessage: scrub(failure.merchantMessage) };
}

/** A masked card stays: it identifies nobody. */
function eraseMode(mode: Readonly<Record<string, string>>, scrub: Scrub): Record<string, string> {
  return mapFields(mode, (name, value) => {
    if (name === 'upi_id') return erasedMarker;
    return name === 'masked_card' ? value : scrub(value as string);
  });
}

function eraseStart(start: Start, scrub: Scrub): Start {
  const { subPaymentMode, callbackUrl, intentUrl, failure, refund } = start;
  const parts = refund?.parts?.map((part) =>
    part.failure ? { ...part, failure: eraseFailure(part.failure, scrub) } : part,
  );
  return {
    ...start,
    ...(subPaymentMode && { subPaymentMode: eraseMode(subPaymentMode, scrub) }),
    ...(callbackUrl !== undefined && { callbackUrl: scrub(callbackUrl) }),
    // It names the merchant and the payment, but the provider decides what else.
    ...(intentUrl !== undefined && { intentUrl: scrub(intentUrl) }),
    ...(failure && { failure: eraseFailure(failure, scrub) }),
    ...(refund && { refund: parts ? { ...refund, parts } : refund }),
  };
}

export function eraseChange(
  { field, from, to }: Change,
  transactionId: string | null,
  scrub: Scrub,
  relation: ConsumerRelation,
): Change {
  const erase = (value: unknown) =>
    transactionId === null
      ? eraseDetail(field, value, scrub, relation)
      : eraseField(field, value, scrub);
  return { field, from: erase(from), to: erase(to) };
}

/** Erases the order itself. `userId` replaces its consumer id and links it to no other order. */
export function eraseOrder(
  order: Order,
  scrub: Scrub,
  relation: ConsumerRelation,
  { userId, contentDigest }: Pick<Order, 'userId' | 'contentDigest'>,
): Order {
  const details = eraseDetails(order.details, scrub, relation);
  if (relation === 'mentioned') return { ...order, details };
  const { earlierConsumers: _forgotten, ...others } = order;
  return { ...others, details, userId: order.userId === null ? null : userId, contentDigest };
}
