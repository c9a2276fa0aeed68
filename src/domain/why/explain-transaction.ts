/**
 * Explains every field of a transaction that views show: its value, what set it, its previous value, and what else
 * mentioned it and lost. The fold says what it decided; this adds what time and the history say. Pure. Only the previous
 * value, and which of several reports of one value set it, depend on the order of arrival.
 */
import { isDeepStrictEqual } from 'node:util';
import type { StoredDisputeNotice } from '../disputes/dispute.ts';
import { type Cause, type Change, causeOf, type HistoryEntry } from '../history.ts';
import { foldTransaction } from '../order-state/matching.ts';
import { byKey } from '../payments/fold.ts';
import { type Decision, isRequest, type Setter, type Trace } from '../payments/ranking.ts';
import type { Rule } from '../payments/rules.ts';
import type { AnyNotice, Expected, Payment, Refund, Transaction } from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';

export type TransactionField = keyof Payment | keyof Refund;

const firstFields = ['status', 'amount', 'currency', 'pspTransactionId'] as const;
const middleFields = ['message', 'failure', 'startedAtMs', 'finishedAtMs'] as const;

/** The fields that views show, in this order. All others are constants, or what these are derived from. */
const shownFields: Readonly<Record<Transaction['type'], readonly TransactionField[]>> = {
  payment: [
    ...firstFields,
    'paymentMode',
    'subPaymentMode',
    'paymentArn',
    'paymentAcquirer',
    'customerFee',
    'offerId',
    'offerDiscount',
    ...middleFields,
    'captures',
    'voided',
    'hold',
    'operations',
    'disputes',
  ],
  refund: [
    ...firstFields,
    'refundRequestId',
    'refundArn',
    'paymentPspId',
    ...middleFields,
    'parts',
    'voidedPspIds',
  ],
};

/** What set a value: a delivery, our own call, what the order expects, or time. */
export type Source =
  /** The id is null if the inbox has no delivery with this key. */
  | { readonly kind: 'delivery'; readonly deliveryId: string | null }
  | { readonly kind: 'call' | 'order' | 'time' };

/** Which rule decided, and what it took the value from: nothing if it is empty. */
type Explained = { readonly rule: Rule; readonly setBy: readonly Source[] };

export type ExplainedField = Explained & {
  readonly field: TransactionField;
  readonly value: unknown;
  /** The highest first, each with the rule that decided against it. */
  readonly lost: ReadonlyArray<{
    readonly source: Source;
    readonly value: unknown;
    readonly rule: Rule;
  }>;
  /** In the order of arrival, with when it was replaced and by what; null if the history has none. */
  readonly previous: {
    readonly value: unknown;
    readonly until: Date | null;
    readonly cause: Cause;
  } | null;
  /** Each flag by itself. */
  readonly flags?: ReadonlyArray<Explained & { readonly flag: ReviewFlag }>;
};

/** The last change of a field in the history. */
export type LastChange = Change & Pick<HistoryEntry, 'cause' | 'happenedAt'>;

type ExplainContext = {
  readonly expected: Expected;
  readonly ordersCreatedHere?: ReadonlySet<string>;
  readonly changes: readonly LastChange[];
  /** What was reported about disputes of the payment. */
  readonly disputeNotices?: readonly StoredDisputeNotice[];
  readonly deliveryIdOf: (deliveryKey: string) => string | null;
  readonly isStale?: (deliveryKey: string) => boolean;
};

/** `transaction` is as views show it: settled, so that time may have changed what the fold gives. */
export function explainTransaction(
  transaction: Transaction,
  context: ExplainContext,
): ExplainedField[] {
  const { expected, ordersCreatedHere, changes, deliveryIdOf, isStale = () => false } = context;
  const decisions: Trace = new Map();
  const folded = foldTransaction(transaction, expected, ordersCreatedHere, decisions);
  const lastOf = (field: string) => changes.find((change) => change.field === field);
  const sourcesOf = (setters: readonly Setter[]) =>
    distinct(setters.map((setter) => sourceOf(setter, deliveryIdOf)));
  const fields = shownFields[transaction.type].map((field): ExplainedField => {
    const value = readField(transaction, field);
    if (field === 'disputes') return explainDisputes(value, lastOf(field), context);
    if (field === 'operations') return explainOperations(value, lastOf(field));
    const timed = withTime(decisions, { field, folded: readField(folded, field), value });
    const last = lastOf(field);
    const isPresent = isDeepStrictEqual(last?.to ?? null, value);
    const isCause = isCauseOf(isPresent ? last : undefined, deliveryIdOf);
    const final = nameFirstReport(timed, isCause, isStale);
    const lost = final.lost.map(({ notice, ...mention }) => ({
      source: sourceOf(notice, deliveryIdOf),
      ...mention,
    }));
    return {
      field,
      value,
      rule: final.rule,
      setBy: sourcesOf(final.setBy),
      lost: distinct(lost),
      previous: previousOf(last, value),
    };
  });
  return [
    ...fields,
    explainFlags(transaction, folded, fields, lastOf('flags'), sourcesOf, context),
  ];
}

function readField(transaction: Transaction, field: TransactionField): unknown {
  return (transaction as Readonly<Record<string, unknown>>)[field] ?? null;
}

function sourceOf(setter: Setter, deliveryIdOf: ExplainContext['deliveryIdOf']): Source {
  if (typeof setter === 'string') return { kind: setter };
  const { deliveryKey } = setter;
  if (deliveryKey === '') return { kind: 'call' };
  return { kind: 'delivery', deliveryId: deliveryIdOf(deliveryKey) };
}

/** A dispute is folded from notices of its own, so the fold of the payment does not say what set it. */
function explainDisputes(
  value: unknown,
  last: LastChange | undefined,
  { disputeNotices = [], deliveryIdOf }: ExplainContext,
): ExplainedField {
  const setBy = sourcesOfDisputes(disputeNotices, deliveryIdOf);
  const previous = previousOf(last, value);
  return { field: 'disputes', value, rule: 'disputes', setBy, lost: [], previous };
}

/** They were requested here, and what became of them is what was reported about the payment. */
function explainOperations(value: unknown, last: LastChange | undefined): ExplainedField {
  const setBy: Source[] = value === null ? [] : [{ kind: 'call' }];
  const previous = previousOf(last, value);
  return { field: 'operations', value, rule: 'operations', setBy, lost: [], previous };
}

function sourcesOfDisputes(
  notices: readonly StoredDisputeNotice[],
  deliveryIdOf: ExplainContext['deliveryIdOf'],
): Source[] {
  const keys = notices.toSorted(byKey).map(({ deliveryKey }) => deliveryKey);
  return keys.map((key) => ({ kind: 'delivery', deliveryId: deliveryIdOf(key) }));
}

/** A split refund has several requests, which are one call to whoever reads this. */
function distinct<Entry>(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()];
}

/** What time changes in a payment. Contract 4.8, 4.9. */
const fieldsOfTime: readonly string[] = ['status', 'amount', 'finishedAtMs'];

/** A partial capture becomes final with time: the captures that decided the status then decide the amount as well. */
function withTime(
  decisions: Trace,
  { field, folded, value }: { field: TransactionField; folded: unknown; value: unknown },
): Decision {
  const own = decisions.get(field);
  if (!own) throw new Error(`The fold does not say what set ${field}.`);
  if (isDeepStrictEqual(folded, value)) return own;
  if (!fieldsOfTime.includes(field)) return { ...own, rule: 'stored-differently', setBy: [] };
  const captures = field === 'finishedAtMs' ? [] : (decisions.get('status')?.setBy ?? []);
  const keys = new Set(captures.map((setter) => typeof setter !== 'string' && setter.deliveryKey));
  const replaced = own.setBy.flatMap((setter) =>
    typeof setter === 'string' ? [] : [{ notice: setter, value: folded }],
  );
  const lost = [...replaced, ...own.lost]
    .filter(({ notice }) => !keys.has(notice.deliveryKey))
    .map((mention) => ({ ...mention, rule: 'time-passed' as const }));
  return { rule: 'time-passed', setBy: ['time', ...captures], lost };
}

function previousOf(last: LastChange | undefined, value: unknown): ExplainedField['previous'] {
  if (!last) return null;
  const { from, to, cause, happenedAt } = last;
  if (isDeepStrictEqual(to ?? null, value))
    return { value: from ?? null, until: happenedAt, cause: causeOf(cause) };
  // Time has changed it, and nothing has been saved since.
  return { value: to ?? null, until: null, cause: { kind: 'time' } };
}

/** Flags that follow from the other transactions of the order. */
const flagsOfOthers: ReadonlyMap<ReviewFlag, Rule> = new Map([
  ['duplicate_capture', 'another-payment'],
  ['refund_unknown', 'refunds-elsewhere'],
  ['refund_and_dispute', 'disputes-and-refunds'],
  ['captured_after_void', 'operations'],
  ['refunded_late_payment', 'late-payment'],
]);

const flagsOfDisputes: ReadonlySet<ReviewFlag> = new Set([
  'dispute_amount_unknown',
  'dispute_conflict',
]);

function explainFlags(
  transaction: Transaction,
  folded: Transaction,
  fields: readonly ExplainedField[],
  last: LastChange | undefined,
  sourcesOf: (setters: readonly AnyNotice[]) => Source[],
  { disputeNotices = [], deliveryIdOf }: ExplainContext,
): ExplainedField {
  const notices: readonly AnyNotice[] = transaction.notices;
  const ofStatus = fields.find(({ field }) => field === 'status')?.setBy ?? [];
  const flags = transaction.flags.map((flag): Explained & { readonly flag: ReviewFlag } => {
    const reporters = notices.filter((notice) => notice.flags?.includes(flag)).sort(byKey);
    if (reporters.length > 0) return { flag, rule: 'reported-flags', setBy: sourcesOf(reporters) };
    if (folded.flags.includes(flag)) return { flag, rule: 'follows-from-state', setBy: ofStatus };
    const disputed = disputeNotices.filter((notice) => notice.flags?.includes(flag));
    if (disputed.length > 0) {
      const setBy = sourcesOfDisputes(disputed, deliveryIdOf);
      return { flag, rule: 'reported-flags', setBy };
    }
    if (flagsOfDisputes.has(flag)) {
      return { flag, rule: 'disputes', setBy: sourcesOfDisputes(disputeNotices, deliveryIdOf) };
    }
    const ofOthers = flagsOfOthers.get(flag);
    return {
      flag,
      rule: ofOthers ?? 'time-passed',
      setBy: [{ kind: ofOthers ? 'order' : 'time' }],
    };
  });
  return {
    field: 'flags',
    value: transaction.flags,
    rule: flags[0]?.rule ?? 'reported-flags',
    setBy: distinct(flags.flatMap(({ setBy }) => setBy)),
    lost: [],
    previous: previousOf(last, transaction.flags),
    flags,
  };
}

/** `change` made the present value. Without it, no notice is known as its cause. */
function isCauseOf(
  change: { readonly cause: string } | undefined,
  deliveryIdOf: (deliveryKey: string) => string | null,
): (notice: AnyNotice) => boolean {
  const cause = change && causeOf(change.cause);
  return (notice) =>
    isRequest(notice)
      ? cause?.kind === 'call' || cause?.kind === 'request'
      : cause?.kind === 'delivery' && cause.deliveryId === deliveryIdOf(notice.deliveryKey);
}

/**
 * Names the first of several reports of one value as what set it. The fold ranks them, whatever their order of arrival,
 * so the history and the inbox are asked (docs/decisions/0044). Where the history names none of them, a report that changed
 * nothing when it was applied yields to one that did. A capture is repeated by reports of itself only.
 */
function nameFirstReport(
  own: Decision,
  isCause: (notice: AnyNotice) => boolean,
  isStale: (deliveryKey: string) => boolean,
): Decision {
  let { lost } = own;
  const setBy = own.setBy.map((setter) => {
    if (typeof setter === 'string' || isCause(setter)) return setter;
    const repeats = lost.filter(
      ({ notice, rule }) =>
        rule === 'also-reported' &&
        (own.setBy.length === 1 || notice.pspTransactionId === setter.pspTransactionId),
    );
    const first =
      repeats.find(({ notice }) => isCause(notice)) ??
      (isStale(setter.deliveryKey)
        ? repeats.find(({ notice }) => !isStale(notice.deliveryKey))
        : undefined);
    if (!first) return setter;
    lost = [{ ...first, notice: setter }, ...lost.filter((mention) => mention !== first)];
    return first.notice;
  });
  return { ...own, setBy, lost };
}
