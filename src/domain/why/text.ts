/**
 * The explanation of an order as plain text: for a terminal, and for a support ticket. Lines are not wrapped, and say
 * where each value comes from.
 */
import type { CallRecord, Cause } from '../history.ts';
import type { Hold } from '../payments/records.ts';
import { ruleSentences } from '../payments/rules.ts';
import { amountNames, amountText, type Effect } from './effects.ts';
import type { Source } from './explain-transaction.ts';
import type { ExplainedTransaction, OrderExplanation, ShownField } from './explanation.ts';
import type { LifeAttempt, LifeDelivery, TimelineEntry } from './timeline.ts';

export function explanationText(explanation: OrderExplanation): string {
  const { order, explainedAt, timeline, transactions, transactionsTotal } = explanation;
  const { amounts } = order;
  const total = amountText(amounts.total, amounts.currency);
  return [
    `Order ${order.orderId}, invoice ${order.invoiceId}, account ${order.accountId}`,
    `${order.status}, ${total}, payments: ${order.attempts}, flags: ${order.flags.join(', ') || 'none'}`,
    `Explained at ${isoOf(explainedAt)}`,
    '',
    'Timeline',
    ...(timeline.olderUpTo
      ? [`  Older entries, up to ${isoOf(timeline.olderUpTo)}, are on another page.`]
      : []),
    ...(timeline.isPruned ? ['  The oldest rows of the history were pruned.'] : []),
    ...timeline.entries.flatMap(entryLines),
    ...explanation.held.map(
      ({ deliveryId, hold }) =>
        `  Delivery ${deliveryId ?? 'unknown'} is applied to no transaction: ${holdTexts[hold]}`,
    ),
    ...transactions.flatMap((transaction) => ['', ...transactionLines(transaction)]),
    ...(explanation.nextTransactionsAfter === null
      ? []
      : ['', `${transactions.length} of ${transactionsTotal} transactions are explained here.`]),
  ].join('\n');
}

export const holdTexts: Readonly<Record<Hold, string>> = {
  ambiguous: 'it could belong to several payments.',
  contradictory: 'it names two targets, or has the id of another record.',
  'no-target': 'its target is not known.',
  release: 'it refunds an authorisation that was never captured, so no money moves.',
};

function transactionLines(transaction: ExplainedTransaction): string[] {
  const { type, transactionId, status, providerName, fields } = transaction;
  const title = type === 'payment' ? 'Payment' : 'Refund';
  return [
    `${title} ${transactionId}: ${status}, ${providerName}`,
    ...fields.filter(isMentioned).flatMap((field) => fieldLines(field, transaction.currency)),
  ];
}

/** Fields without a value that nobody mentioned would only make the text longer. */
function isMentioned({ value, lost, previous }: ShownField): boolean {
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  return !isEmpty || lost.length > 0 || (previous !== null && previous.value !== null);
}

function fieldLines(field: ShownField, currency: string | null): string[] {
  const text = (value: unknown) => valueText(field.field, value, currency);
  const { previous, setBy, setByMore, lost, lostMore, flags } = field;
  return [
    `  ${field.field}: ${text(field.value)}`,
    ...(flags
      ? flags.map(
          (each) => `    ${each.flag} ${setText(each.setBy, 0)}. ${ruleSentences[each.rule]}`,
        )
      : [`    ${setText(setBy, setByMore)}. ${ruleSentences[field.rule]}`]),
    ...(previous
      ? [
          `    before: ${text(previous.value)}${previous.until ? ` until ${isoOf(previous.until)}` : ''}, changed by ${causeText(previous.cause)}`,
        ]
      : []),
    ...lost.map(({ source, value, rule }) =>
      rule === 'also-reported' || text(value) === text(field.value)
        ? `    also reported by ${sourceText(source)}`
        : `    not ${text(value)} from ${sourceText(source)}. ${ruleSentences[rule]}`,
    ),
    ...(lostMore > 0 ? [`    and ${lostMore} more that lost`] : []),
  ];
}

function setText(setBy: readonly Source[], more: number): string {
  if (setBy.length === 0) return 'set by nothing';
  const names = setBy.map(sourceText).join(', ');
  return `set by ${names}${more > 0 ? ` and ${more} more` : ''}`;
}

const sources = { call: 'our own call', order: 'the order', time: 'time' } as const;

function sourceText(source: Source): string {
  if (source.kind !== 'delivery') return sources[source.kind];
  return source.deliveryId === null ? 'an unknown delivery' : `delivery ${source.deliveryId}`;
}

export function entryLines(entry: TimelineEntry): string[] {
  const effects = 'effects' in entry ? entry.effects : [];
  return [`  ${isoOf(entry.at)}  ${printable(titleOf(entry))}`, ...effects.flatMap(effectLines)];
}

const isoOf = (time: Date): string => time.toISOString();

function titleOf(entry: TimelineEntry): string {
  switch (entry.kind) {
    case 'order-created':
      return `Order created for ${amountText(entry.amounts.total, entry.amounts.currency)}`;
    case 'checkout-opened':
      return 'Checkout opened';
    case 'payment-mode-chosen':
      return 'A way to pay was chosen';
    case 'requested':
      return requestTitles[entry.name] ?? `Request ${entry.name}`;
    case 'provider-called':
      return `Provider called for ${entry.transactionId}: ${callText(entry.call)}`;
    case 'provider-polled':
      return `Provider polled about ${entry.transactionId}: ${callText(entry.call)}`;
    case 'delivery-received':
      return deliveryTitle(entry.delivery, entry.effects);
    case 'delivery-applied':
      return `Delivery ${entry.deliveryId} applied`;
    case 'order-lapsed':
      return 'Order lapsed';
    case 'time-passed':
      return 'Time passed';
    case 'order-rebuilt':
      return 'Order rebuilt by an operator';
    case 'flag-raised':
      return `Flag ${entry.flag} raised on ${entry.subject ?? 'the order'} by ${causeText(entry.cause)}`;
    case 'flag-resolved':
      return `Flag ${entry.flag} of ${entry.subject} resolved by ${entry.actor}: ${entry.note}`;
    case 'event-announced':
      return `Event ${entry.eventId} ${entry.type} for ${entry.endpoints.length} endpoints`;
    case 'event-attempted':
      return `Event ${entry.eventId} ${entry.type} sent to ${addressOf(entry)}: ${statusText(entry.httpStatus)}, ${entry.durationMs} ms`;
    default:
      return entry satisfies never;
  }
}

/** Only the host of the URL: its path and query may have a token, and the text is meant for others. */
function addressOf({ url, endpointId }: Pick<LifeAttempt, 'url' | 'endpointId'>): string {
  return url === null ? endpointId : `${new URL(url).host} (${endpointId})`;
}

const requestTitles: Readonly<Record<string, string | undefined>> = {
  'initiate-payment': 'Payment started by initiate-payment',
  refund: 'Refund requested',
  'give-up': 'Payment given up by the consumer',
  'update-order': 'Order updated by update-order',
  'resolve-user': 'Consumer resolved by resolve-user',
  'update-link': 'Payment link changed',
  'cancel-link': 'Payment link cancelled',
};

function callText({ operation, outcome, httpStatus, durationMs, tries }: CallRecord): string {
  const repeats = tries > 1 ? `, ${tries} tries` : '';
  return `${operation} ${outcome}, ${statusText(httpStatus)}, ${durationMs} ms${repeats}`;
}

const statusText = (status: number | null) => (status === null ? 'no answer' : `HTTP ${status}`);

function deliveryTitle(delivery: LifeDelivery, effects: readonly Effect[]): string {
  const { deliveryId, event, providerName, state, why, tries } = delivery;
  const about = [event, `from ${providerName}`].filter(Boolean).join(' ');
  const reason = why === null ? '' : ` (${why})`;
  const parked = tries > 0 && effects.length === 0 ? ', not applied at once' : '';
  return `Delivery ${deliveryId} received: ${about}, ${state}${reason}${parked}`;
}

function effectLines({ transactionId, currency, changes }: Effect): string[] {
  const subject = transactionId ?? 'order';
  return changes.map(({ field, from, to }) => {
    const text = (value: unknown) => valueText(field, value, currency);
    return `      ${subject}: ${field} ${text(from)} → ${text(to)}`;
  });
}

function valueText(name: string, value: unknown, currency: string | null): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number' && amountNames.has(name) && currency !== null)
    return amountText(value, currency);
  if (Array.isArray(value) && value.length === 0) return 'none';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return printable(value.join(', '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Values come from shops and providers: a control character could move the cursor of a terminal. */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');

function causeText(cause: Cause): string {
  switch (cause.kind) {
    case 'delivery':
      return `delivery ${cause.deliveryId}`;
    case 'call':
      return `our call ${cause.operation}`;
    case 'request':
      return `the request ${cause.name}`;
    case 'operator':
      return `an operator with "${cause.command}"`;
    case 'time':
      return 'time';
    default:
      return cause satisfies never;
  }
}
