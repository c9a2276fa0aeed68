/** The evidence about a dispute as plain text, to send with the provider's form. Contract 17.6. */
import { printable } from '../../domain/why/text.ts';
import type { EvidenceView } from './evidence-view.ts';

type Fact = readonly [name: string, value: string | null | undefined];

export function evidenceText(evidence: EvidenceView): string {
  const { shop, dispute, order, payment, timeline, events } = evidence;
  return [
    `Evidence on dispute ${printable(dispute.dispute_id)}`,
    `${printable(shop)}, ${timeText(evidence.made_at)}`,
    ...section('Dispute', disputeFacts(dispute)),
    ...section('Order', orderFacts(order)),
    ...block('Items', itemLines(order)),
    ...section('Consumer', consumerFacts(order)),
    ...(payment ? section('Disputed payment', paymentFacts(payment)) : []),
    ...block('Refunds of this payment', (payment?.refunds ?? []).map(refundLine), 'None.'),
    ...block('What happened', [
      ...(evidence.cut ? ['Earlier entries are not listed.'] : []),
      ...timeline.map(({ at, text }) => `${timeText(at)}  ${text}`),
    ]),
    ...block(
      'Events sent to the shop',
      events.map(
        ({ at, event_type, event_id, taken_at }) =>
          `${timeText(at)}  ${event_type} ${event_id}, ${taken_at === null ? 'not delivered' : `delivered ${timeText(taken_at)}`}`,
      ),
      'None.',
    ),
    '',
  ].join('\n');
}

function disputeFacts(dispute: EvidenceView['dispute']): Fact[] {
  return [
    ['Claimed', money(dispute.amount, dispute.currency)],
    ['Reason', joined([dispute.reason, dispute.reason_code])],
    ['Phase', words(dispute.phase)],
    ['Status', words(dispute.status)],
    ['Opened', timeText(dispute.created_at)],
    ['Answer until', timeText(dispute.respond_by)],
  ];
}

function orderFacts(order: EvidenceView['order']): Fact[] {
  return [
    ['Invoice', order.invoice_id],
    ['Order ID', order.order_id],
    ['Created', timeText(order.created_at)],
    ['Total', money(order.total_amount, order.currency)],
    ['Of which tax', money(order.tax, order.currency)],
    ['Description', order.description],
    ['Shop', order.shop],
    ...order.custom_attributes.map(({ key, value }): Fact => [key, value]),
  ];
}

function consumerFacts({ user, ...order }: EvidenceView['order']): Fact[] {
  return [
    ['Name', user?.name],
    ['E-mail', user?.email],
    ['Phone', user?.phone],
    ['Shipping', order.shipping_address.join(', ')],
    ['Billing', order.billing_address.join(', ')],
    ['IP address', order.ip_address],
  ];
}

function paymentFacts(payment: NonNullable<EvidenceView['payment']>): Fact[] {
  return [
    ['Amount', money(payment.amount, payment.currency)],
    ['Status', words(payment.payment_status)],
    ['Way to pay', joined([payment.payment_mode, payment.provider_name])],
    ...Object.entries(payment.mode_details ?? {}).map(
      ([name, value]): Fact => [words(name), value],
    ),
    ['Bank reference', payment.arn],
    ['Acquirer', payment.acquirer],
    ['Provider ID', payment.psp_transaction_id],
    ['Transaction ID', payment.transaction_id],
    ['Started', timeText(payment.started_at)],
    ['Finished', timeText(payment.finished_at)],
  ];
}

/** Its numbers are as the shop sent them. */
function itemLines({ items, currency }: EvidenceView['order']): string[] {
  return items.map(({ quantity, title, sku_id, total_amount }) => {
    const name = joined([title, sku_id, money(total_amount, currency)]);
    return quantity === null ? name : `${quantity} x ${name}`;
  });
}

function refundLine(refund: NonNullable<EvidenceView['payment']>['refunds'][number]) {
  const { amount, currency, refund_status, started_at, arn } = refund;
  const reference = arn === null ? '' : `, bank reference ${arn}`;
  return `${timeText(started_at)}  ${money(amount, currency)} ${refund_status}${reference}`;
}

function section(title: string, facts: readonly Fact[]): string[] {
  const known = facts.filter(([, value]) => Boolean(value));
  const width = Math.max(...known.map(([name]) => name.length));
  return block(
    title,
    known.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    'Not known.',
  );
}

/** A line break in a value must not look like a line of this text. */
function block(title: string, lines: readonly string[], whenEmpty?: string): string[] {
  const shown = lines.length === 0 && whenEmpty !== undefined ? [whenEmpty] : lines;
  return shown.length === 0 ? [] : ['', title, ...shown.map((line) => `  ${printable(line)}`)];
}

function money(amount: string | null, currency: string | null): string | null {
  return amount === null ? null : `${amount} ${currency}`;
}

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join(', ');
}

function words(code: string): string;
function words(code: string | null): string | null;
function words(code: string | null) {
  return code?.replaceAll('_', ' ') ?? null;
}

/** The reader may be in any zone. */
function timeText(iso: string | null): string | null {
  return iso === null ? null : `${iso.slice(0, 19).replace('T', ' ')} UTC`;
}
