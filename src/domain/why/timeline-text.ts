/** The entries of a timeline as lines of text: what happened, and below it what it changed. */
import type { Cause } from './cause.ts';
import type { Effect } from './effects.ts';
import { amountText, isAmountName } from './shown.ts';
import type { LifeAttempt, LifeCall, LifeDelivery, TimelineEntry } from './timeline.ts';

export function entryLines(entry: TimelineEntry): string[] {
  const effects = 'effects' in entry ? entry.effects : [];
  return [`  ${isoOf(entry.at)}  ${printable(titleOf(entry))}`, ...effects.flatMap(effectLines)];
}

export function isoOf(time: Date): string {
  return time.toISOString();
}

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
};

function callText({ operation, outcome, httpStatus, durationMs, tries }: LifeCall): string {
  const repeats = tries > 1 ? `, ${tries} tries` : '';
  return `${operation} ${outcome}, ${statusText(httpStatus)}, ${durationMs} ms${repeats}`;
}

function statusText(status: number | null): string {
  return status === null ? 'no answer' : `HTTP ${status}`;
}

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

export function valueText(name: string, value: unknown, currency: string | null): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'number' && isAmountName(name) && currency !== null)
    return amountText(value, currency);
  if (Array.isArray(value) && value.length === 0) return 'none';
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return printable(value.join(', '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Values come from shops and providers: a control character could move the cursor of a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
}

export function causeText(cause: Cause): string {
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
