/**
 * Decides whether a request becomes an order, and with which amounts. Pure. A refusal names all fields that are missing;
 * if none is, the first wrong field in the order of the checks.
 */
import type { AccountSettings, AlternateCurrency } from '../accounts/account.ts';
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';
import { findExponent, getExponent } from '../money/currency.ts';
import { convertAmount, parseDecimal, readSentAmount, type SentAmount } from '../money/money.ts';
import { checkLineItems } from './line-items.ts';
import type { Amounts, OrderDetails, SentDetails, SentUser, User } from './order.ts';
import { defaultCountryCode, readPhone } from './phone.ts';

/** A create-order request in our names. `http/` has checked shapes and lengths. */
export type OrderRequest = {
  /** Empty if it is missing. */
  readonly invoiceId: string;
  /** Empty if it is missing. */
  readonly currency: string;
  readonly amountBeforeTax?: SentAmount;
  readonly tax?: SentAmount;
  readonly totalAmount?: SentAmount;
  readonly details: SentDetails;
  /** When the order lapses; without it after the time that the service is set to. Contract 14.6. */
  readonly lapsesAt?: Date | undefined;
  /** How long the order of a link lives that has no time of its own. Not a part of the content. Contract 19.2. */
  readonly lapseSeconds?: number | undefined;
  /** The stored consumer, when an order is updated: fields that the request lacks stay. */
  readonly knownUser?: User | undefined;
  /** A person makes the order by hand, without a cart. Details are optional then, even if the account requires them. Contract 14.6. */
  readonly isByHand?: true;
};

export type DecidedOrder = ReturnType<typeof decideOrder>;

export function decideOrder(request: OrderRequest, settings: AccountSettings) {
  refuseMissing(request, settings);
  const sent = decideAmounts(request);
  const { knownUser } = request;
  const user = request.details.user
    ? readUser('user.', request.details.user, knownUser)
    : knownUser;
  const items = checkLineItems(request.details, sent);

  const details = {
    ...request.details,
    ...(user && { user }),
    ...(items && { lineItems: items.stored }),
  } as OrderDetails;
  const content = canonicalContent(request, sent, details, items?.canonical ?? null);
  const alternate = settings.alternateCurrencies.find(({ from }) => from === sent.currency);
  const amounts = alternate ? convertAmounts(sent, alternate) : sent;
  const conversion = alternate ? { original: sent, rate: alternate.rate } : null;
  return { amounts, conversion, details, content };
}

/** Contract 3.4. */
function refuseMissing(request: OrderRequest, settings: AccountSettings): void {
  const { invoiceId, currency, totalAmount, isByHand = false } = request;
  const needsDetails = !settings.optionalOrderDetails && !isByHand;
  const details = needsDetails ? listMissingDetails(request) : [];
  const missing = [
    ...listAbsent({
      invoice_id: invoiceId || undefined,
      currency: currency || undefined,
      total_amount: totalAmount,
    }),
    ...details,
  ];
  if (missing.length === 0) return;
  refuseField(
    listing.format(missing),
    [
      missing.length === 1 ? 'is missing: send it' : 'are missing: send them',
      ...(missing.includes('user') ? ['A user needs email, first_name and mobile_number'] : []),
      ...(details.length > 0 ? [howToDoWithout] : []),
    ].join('. '),
  );
}

/** `a, b and c`. */
const listing = new Intl.ListFormat('en-GB');

const howToDoWithout =
  'Or let the operator run "account update ACCOUNT_ID --optional-order-details": this setting makes user, shipping_address and order_line_items optional';

function listMissingDetails({ details, knownUser }: OrderRequest): string[] {
  const user = details.user && knownUser ? { ...knownUser, ...details.user } : details.user;
  return listAbsent({
    ...(user
      ? {
          'user.email': user.email,
          'user.first_name': user.firstName,
          'user.mobile_number': user.mobileNumber,
        }
      : { user }),
    shipping_address: details.shippingAddress,
    order_line_items: details.lineItems,
  });
}

function listAbsent(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(fields).filter((name) => fields[name] === undefined);
}

/** Missing amounts follow from the others; given ones must add up exactly. Contract 3.3. */
export function decideAmounts(
  request: Pick<OrderRequest, 'currency' | 'amountBeforeTax' | 'tax' | 'totalAmount'>,
): Amounts {
  const { currency } = request;
  const exponent = findExponent(currency);
  if (exponent === undefined) {
    refuseField('currency', 'must be an active ISO 4217 code in upper case, such as INR');
  }
  if (request.totalAmount === undefined) {
    refuseField('total_amount', 'is missing: send it');
  }
  const total = readSentAmount('total_amount', request.totalAmount, exponent);
  if (total === 0) refuseField('total_amount', 'must be more than 0');
  const tax = request.tax === undefined ? 0 : readSentAmount('tax', request.tax, exponent);
  if (tax > total) refuseField('tax', 'is more than total_amount');
  if (request.amountBeforeTax === undefined) {
    return { currency, total, tax, beforeTax: total - tax };
  }
  const beforeTax = readSentAmount('amount_before_tax', request.amountBeforeTax, exponent);
  if (beforeTax + tax !== total) {
    refuseField('total_amount', 'must be exactly amount_before_tax plus tax: correct the amounts');
  }
  return { currency, total, tax, beforeTax };
}

function convertAmounts(original: Amounts, alternate: AlternateCurrency): Amounts {
  const rate = parseDecimal(alternate.rate);
  if (!rate) throw new Error(`the stored rate ${alternate.rate} is not a decimal`);
  const exponents = [getExponent(original.currency), getExponent(alternate.to)] as const;
  const total = convertAmount(original.total, rate, ...exponents);
  const tax = convertAmount(original.tax, rate, ...exponents);
  if (total === 0) refuseField('total_amount', `is too small to be converted to ${alternate.to}`);
  if (total > limits.amountMinorMax) {
    refuseField('total_amount', `is larger than we can process once converted to ${alternate.to}`);
  }
  return { currency: alternate.to, total, tax, beforeTax: total - tax };
}

/** Merges the sent consumer with the known one. `prefix` precedes the names of fields in refusals, such as `user.`. */
export function readUser(prefix: string, sent: SentUser, known?: User): User {
  if (sent.email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(sent.email)) {
    refuseField(`${prefix}email`, 'must be an e-mail address');
  }
  const { mobileNumber, countryCode, ...others } = sent;
  const staysAsKnown = known && mobileNumber === undefined && countryCode === undefined;
  const phone = staysAsKnown
    ? known
    : readPhone(prefix, { mobileNumber, countryCode: countryCode ?? knownCountryCode(known) });
  return {
    ...known,
    countryCode: phone.countryCode,
    ...others,
    ...(phone.mobileNumber !== undefined && { mobileNumber: phone.mobileNumber }),
  };
}

/** The stored country code, unless it is only the default of a consumer without a number. */
function knownCountryCode(known: User | undefined): string | undefined {
  const isDefault =
    known?.mobileNumber === undefined && known?.countryCode === `+${defaultCountryCode}`;
  return isDefault ? undefined : known?.countryCode;
}

/**
 * Equal text means equal content. Numbers are compared by value, so `"10.50"` and `10.5` are the same content. Absent
 * fields are left out. Contract 3.5.
 */
function canonicalContent(
  { invoiceId, lapsesAt }: OrderRequest,
  amounts: Amounts,
  { customAttributes, lineItems: _asSent, ...details }: OrderDetails,
  items: unknown,
): string {
  return JSON.stringify([
    invoiceId,
    amounts.currency,
    amounts.total,
    amounts.tax,
    amounts.beforeTax,
    // The mapping in `http/` creates the fields in a fixed order, whatever order they were sent in.
    details,
    items,
    [...(customAttributes ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)),
    // Left out without it, so that the content of stored orders stays the same.
    ...(lapsesAt ? [lapsesAt.toISOString()] : []),
  ]);
}
