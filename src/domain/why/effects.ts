/**
 * What one cause changed in an order and its transactions: the fields that views show, with personal data masked. Names
 * and values are those of the API: wire names, major units, times in ISO 8601.
 */
import { maskUpiId } from '../consumers/mask.ts';
import type { Dispute } from '../disputes/dispute.ts';
import type { Change, HistoryEntry } from '../history.ts';
import { snakeCase } from '../json/snake-case.ts';
import { displayExponent } from '../money/currency.ts';
import { type MinorUnits, majorNumber } from '../money/money.ts';
import type { Amounts } from '../orders/order.ts';
import type { Start } from '../payments/start.ts';
import type { Hold, Operation } from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { isoTimestamp } from '../time.ts';

export type StoredEffect = Pick<HistoryEntry, 'transactionId' | 'changes'>;

/** By the names of the API. The currency is that of amounts among the changes. */
export type Effect = StoredEffect & { readonly currency: string | null };

export type ShowOptions = {
  /** Personal data is masked as for an order token. */
  readonly masked: boolean;
  readonly amounts?: AmountStyle;
  /** Null for the order itself. */
  readonly currencyOf: (transactionId: string | null) => string | null;
};

/** Without effects that change no field that is shown. */
export function showEffects(
  effects: readonly StoredEffect[],
  { masked, amounts, currencyOf }: ShowOptions,
): Effect[] {
  return effects.flatMap(({ transactionId, changes }) => {
    const currency = currencyOf(transactionId);
    const show = (field: string, value: unknown) =>
      shownValue(field, maskValue(field, value, masked), currency, amounts);
    const shown = changes
      .flatMap((change) => (transactionId === null ? [change] : showTransactionChange(change)))
      // The status comes first: it is what readers look for.
      .toSorted((a, b) => Number(b.field === 'status') - Number(a.field === 'status'))
      .map(({ field, from, to }) => ({
        field: shownName(field),
        from: show(field, from),
        to: show(field, to),
      }))
      .filter(({ from, to }) => !(isEmpty(from) && isEmpty(to)));
    return shown.length === 0 ? [] : [{ transactionId, currency, changes: shown }];
  });
}

/** A new transaction has an empty list of flags, which is no news. */
const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

/** Constants of a transaction, and what its other fields are derived from. */
const hiddenFields: ReadonlySet<string> = new Set([
  'type',
  'transactionId',
  'provider',
  'recordedAtMs',
  'authorizedAtMs',
  'partialCapture',
  'paymentPspOrder',
]);

function showTransactionChange(change: Change): Change[] {
  if (change.field === 'start') return listStartChanges(change);
  return hiddenFields.has(change.field) ? [] : [change];
}

/** What is shown of our own call. The rest are addresses for the consumer, and the request itself. */
const startFields = ['call', 'providerOrderId', 'givenUpAtMs', 'isOver'] as const;

function listStartChanges(change: Change): Change[] {
  const [before, after] = [change.from, change.to] as [Start | null, Start | null];
  return startFields
    .map((field) => ({ field, from: before?.[field] ?? null, to: after?.[field] ?? null }))
    .filter(({ from, to }) => from !== to);
}

/**
 * As an order token would see it, if `masked`. Contract 2.3. Of an order, personal data is stored masked, except for the IP
 * address. A bank account is stored encrypted.
 */
export function maskValue(field: string, value: unknown, masked: boolean): unknown {
  if (value === null || value === undefined) return null;
  if (field === 'bankAccount' || (masked && field === 'ipAddress')) return '***';
  return masked && field === 'subPaymentMode' ? maskUpiId(value) : value;
}

export function raisedFlags({ changes }: StoredEffect): ReviewFlag[] {
  const change = changes.find(({ field }) => field === 'flags');
  const before = flagsIn(change?.from);
  return flagsIn(change?.to).filter((flag) => !before.includes(flag));
}

const flagsIn = (value: unknown): ReviewFlag[] => (Array.isArray(value) ? value : []);

/** `startedAtMs` becomes `started_at`. */
export const shownName = (field: string): string => snakeCase(field.replace(/AtMs$/, 'At'));

const amountFields: ReadonlySet<string> = new Set(['amount', 'customerFee', 'offerDiscount']);

export const amountNames: ReadonlySet<string> = new Set([...amountFields].map(shownName));

/** Amounts of fields are numbers for the command line, and decimal texts for the dashboard. */
export type AmountStyle = 'number' | 'text';

export function shownValue(
  field: string,
  value: unknown,
  currency: string | null,
  style: AmountStyle = 'number',
): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (field.endsWith('AtMs')) return isoTimestamp(new Date(value));
    // A report of a capture mentions the captures by its own amount.
    return amountFields.has(field) || field === 'captures' ? styled(value, currency, style) : value;
  }
  if (field === 'captures' || field === 'parts')
    return (value as Part[]).map(partOf(currency, style));
  if (field === 'hold') return holdOf(currency, style)(value as Hold);
  if (field === 'operations') return (value as Operation[]).map(operationOf(currency, style));
  if (field === 'disputes') return (value as Dispute[]).map(disputeOf(style));
  if (field === 'amounts') return shownAmounts(value as Amounts);
  return value;
}

type Part = { readonly amount: MinorUnits; readonly atMs?: number | null };

function partOf(currency: string | null, style: AmountStyle) {
  return ({ atMs, amount, ...part }: Part) => ({
    ...part,
    amount: styled(amount, currency, style),
    ...(atMs !== undefined && { at: atMs === null ? null : isoTimestamp(new Date(atMs)) }),
  });
}

function holdOf(currency: string | null, style: AmountStyle) {
  return ({ amount, atMs, expiresAtMs }: Hold) => ({
    amount: styled(amount, currency, style),
    authorizedAt: isoTimestamp(new Date(atMs)),
    expiresAt: isoTimestamp(new Date(expiresAtMs)),
  });
}

function operationOf(currency: string | null, style: AmountStyle) {
  return ({ operationId, kind, status, amount, atMs, failure }: Operation) => ({
    kind,
    status,
    amount: styled(amount, currency, style),
    transactionId: operationId,
    requestedAt: isoTimestamp(new Date(atMs)),
    failure,
  });
}

function disputeOf(style: AmountStyle) {
  return ({ amount, amountDeducted, respondByMs, createdAtMs, ...dispute }: Dispute) => ({
    ...dispute,
    amount: styled(amount, dispute.currency, style),
    amountDeducted: styled(amountDeducted, dispute.currency, style),
    respondBy: respondByMs === null ? null : isoTimestamp(new Date(respondByMs)),
    createdAt: createdAtMs === null ? null : isoTimestamp(new Date(createdAtMs)),
  });
}

export type ShownAmounts = ReturnType<typeof shownAmounts>;

export function shownAmounts({ currency, beforeTax, tax, total }: Amounts) {
  const inMajor = (amount: MinorUnits) => major(amount, currency);
  return { currency, beforeTax: inMajor(beforeTax), tax: inMajor(tax), total: inMajor(total) };
}

/** `118.00 INR`. The number has exact decimals, so nothing is rounded here. */
export function amountText(amount: number, currency: string): string {
  return `${amount.toFixed(displayExponent(currency))} ${currency}`;
}

/** An amount without a currency stays in minor units. */
function styled(minor: MinorUnits, currency: string | null, style: AmountStyle): number | string;
function styled(
  minor: MinorUnits | null,
  currency: string | null,
  style: AmountStyle,
): number | string | null;
function styled(minor: MinorUnits | null, currency: string | null, style: AmountStyle) {
  if (minor === null || currency === null) return minor;
  const amount = major(minor, currency);
  return style === 'text' ? amount.toFixed(displayExponent(currency)) : amount;
}

function major(minor: MinorUnits, currency: string): number {
  return majorNumber(minor, displayExponent(currency));
}
