/** The filters of a list of orders, in the names of the address. */
import { refuseField } from '../../domain/errors.ts';
import { findExponent } from '../../domain/money/currency.ts';
import { parseAmount } from '../../domain/money/money.ts';
import { orderStatuses } from '../../domain/orders/order.ts';
import type { OrderFilter, PaymentFilter } from '../../domain/orders/order-filter.ts';
import { reviewFlags } from '../../domain/review-flag.ts';
import { type Query, readChoice, readText, readTime, refuseUnknown } from './read-query.ts';

const filterNames = [
  ...['status', 'flag', 'from', 'to', 'currency', 'amount_min', 'amount_max'],
  ...['payment_status', 'mode', 'provider', 'failure', 'refunded'],
];

export function readOrderFilter(query: Query, otherNames: readonly string[]): OrderFilter {
  refuseUnknown(query, [...filterNames, ...otherNames]);
  const payment = readPaymentFilter(query);
  return withoutUndefined({
    status: readChoice(query, 'status', orderStatuses),
    flag: readChoice(query, 'flag', reviewFlags),
    from: readTime(query, 'from'),
    to: readTime(query, 'to'),
    currency: readCurrency(query),
    amountMin: readAmount(query, 'amount_min'),
    amountMax: readAmount(query, 'amount_max'),
    payment: Object.keys(payment).length > 0 ? payment : undefined,
    isRefunded: readChoice(query, 'refunded', ['yes']) && true,
  });
}

function readPaymentFilter(query: Query): PaymentFilter {
  return withoutUndefined({
    status: readChoice(query, 'payment_status', ['succeeded', 'failed']),
    mode: readText(query, 'mode'),
    provider: readText(query, 'provider'),
    failure: readText(query, 'failure'),
  });
}

function readCurrency(query: Query): string | undefined {
  const currency = readText(query, 'currency');
  if (currency !== undefined && findExponent(currency) === undefined) {
    refuseField('currency', 'must be a code of ISO 4217');
  }
  return currency;
}

function readAmount(query: Query, name: string): number | undefined {
  const text = readText(query, name);
  if (text === undefined) return undefined;
  const currency = readCurrency(query) ?? refuseField('currency', 'is needed for an amount');
  const amount = parseAmount(text, findExponent(currency) ?? 2);
  return amount.kind === 'amount'
    ? amount.minor
    : refuseField(name, `must be an amount of ${currency}`);
}

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Given<Fields>> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Given<Fields>>;
}
