/**
 * The explanation of an order as plain text: for a terminal, and for a support ticket. Lines are not wrapped, and say
 * where each value comes from.
 */
import type { Hold } from '../payments/records.ts';
import { sentenceOf } from '../payments/rules.ts';
import type { Source } from './explain-transaction.ts';
import type { ExplainedTransaction, OrderExplanation, ShownField } from './explanation.ts';
import { amountText } from './shown.ts';
import { causeText, entryLines, isoOf, valueText } from './timeline-text.ts';

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
        `  Delivery ${deliveryId ?? 'unknown'} is applied to no transaction: ${holdText(hold)}`,
    ),
    ...transactions.flatMap((transaction) => ['', ...transactionLines(transaction)]),
    ...(explanation.nextTransactionsAfter === null
      ? []
      : ['', `${transactions.length} of ${transactionsTotal} transactions are explained here.`]),
  ].join('\n');
}

const holds: Readonly<Record<Hold, string>> = {
  ambiguous: 'it could belong to several payments.',
  contradictory: 'it names two targets, or has the id of another record.',
  'no-target': 'its target is not known.',
  release: 'it refunds an authorisation that was never captured, so no money moves.',
};

export function holdText(hold: Hold): string {
  return holds[hold];
}

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
      ? flags.map((each) => `    ${each.flag} ${setText(each.setBy, 0)}. ${sentenceOf(each.rule)}`)
      : [`    ${setText(setBy, setByMore)}. ${sentenceOf(field.rule)}`]),
    ...(previous
      ? [
          `    before: ${text(previous.value)}${previous.until ? ` until ${isoOf(previous.until)}` : ''}, changed by ${causeText(previous.cause)}`,
        ]
      : []),
    ...lost.map(({ source, value, rule }) =>
      rule === 'also-reported' || text(value) === text(field.value)
        ? `    also reported by ${sourceText(source)}`
        : `    not ${text(value)} from ${sourceText(source)}. ${sentenceOf(rule)}`,
    ),
    ...(lostMore > 0 ? [`    and ${lostMore} more that lost`] : []),
  ];
}

function setText(setBy: readonly Source[], more: number): string {
  if (setBy.length === 0) return 'set by nothing';
  const names = setBy.map(sourceText).join(', ');
  return `set by ${names}${more > 0 ? ` and ${more} more` : ''}`;
}

function sourceText(source: Source): string {
  switch (source.kind) {
    case 'delivery':
      return source.deliveryId === null ? 'an unknown delivery' : `delivery ${source.deliveryId}`;
    case 'call':
      return 'our own call';
    case 'order':
      return 'the order';
    case 'time':
      return 'time';
    default:
      return source satisfies never;
  }
}
