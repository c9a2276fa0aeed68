/**
 * Random sets of deliveries for one order, as both providers would send them. A plan says what happened, and
 * `writeDeliveries` turns it into bodies. Plans contain no ids, so that they shrink well and fit several orders.
 */
import fc from 'fast-check';
import { randomFrom } from '../../simulator/random.ts';
import { partnerEvent, partnerPayment, partnerRefund } from './deliveries.ts';
import { type GatewayAttempt, gatewayAttempts, writeGatewayAttempts } from './gateway-sets.ts';
import {
  type AmountKind,
  amounts,
  createWriter,
  expectedMerchant,
  expectedTotal,
  type Fields,
  fee,
  type Of,
  offerDiscount,
  part,
  type SetDelivery,
  type SetNames,
  secondOf,
  type Writer,
} from './set-writer.ts';

export { expectedMerchant, expectedTotal, type SetDelivery, type SetNames };

type Records = Record<string, Fields>;

/** Only a few values, so that times are often equal. */
const delays = fc.nat({ max: 3 });

const partnerEvents = fc.record({
  event: fc.constantFrom(
    'payment.authorized',
    'payment.captured',
    'payment.captured',
    'order.paid',
    'payment.failed',
  ),
  delay: delays,
  hasEventTime: fc.boolean(),
  hasNotes: fc.boolean(),
  isFlat: fc.boolean(),
  hasArn: fc.boolean(),
});

const partnerRefundEvents = fc.record({
  event: fc.constantFrom('refund.created', 'refund.processed', 'refund.processed', 'refund.failed'),
  delay: delays,
  hasEventTime: fc.boolean(),
  hasPayment: fc.boolean(),
  hasArn: fc.boolean(),
});

const partnerDisputes = fc.record({
  amount: fc.constantFrom('full', 'part', 'unknown'),
  events: fc.array(
    fc.record({
      event: fc.constantFrom(
        'created',
        'under_review',
        'action_required',
        'won',
        'lost',
        'lost',
        'closed',
      ),
      delay: delays,
      hasEventTime: fc.boolean(),
      hasPayment: fc.boolean(),
      /** As the answer to a poll shows it. */
      isRead: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const partnerAttempts = fc.record({
  provider: fc.constant('partner' as const),
  method: fc.constantFrom('card', 'upi', 'netbanking', 'wallet'),
  amount: amounts,
  events: fc.array(partnerEvents, { minLength: 1, maxLength: 4 }),
  /** The authorisation is never captured and is released, as a refund or a status fetch reports. */
  release: fc.option(
    fc.record({ asRefund: fc.boolean(), asStatus: fc.boolean(), hasPayment: fc.boolean() }),
    { freq: 5 },
  ),
  refunds: fc.array(
    fc.record({
      isFull: fc.boolean(),
      hasReceipt: fc.boolean(),
      events: fc.array(partnerRefundEvents, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
  disputes: fc.array(partnerDisputes, { maxLength: 2 }),
});

export type PartnerAttempt = Of<typeof partnerAttempts>;
export type SetPlan = ReadonlyArray<PartnerAttempt | GatewayAttempt>;

/** Several attempts to pay one order, and the result of each. */
export function setPlans(attemptsMax: number): fc.Arbitrary<SetPlan> {
  const attempts = fc.oneof(partnerAttempts, gatewayAttempts);
  return fc.array(attempts, { minLength: 1, maxLength: attemptsMax });
}

/** The deliveries of a plan, in the order in which the providers first sent them. */
export function writeDeliveries(plan: SetPlan, names: SetNames): SetDelivery[] {
  const writer = createWriter(names);
  const ofPartner = plan.flatMap((attempt, index) =>
    attempt.provider === 'partner' ? writePartnerAttempt(attempt, index, writer) : [],
  );
  const ofGateway = plan.flatMap((attempt, index) =>
    attempt.provider === 'bank-gateway' ? [{ attempt, index }] : [],
  );
  return [...ofPartner, ...writeGatewayAttempts(ofGateway, writer)];
}

/** The deliveries in a random order, some of them repeated, by a seed. */
export function arrange<Entry>(entries: readonly Entry[], seed: number): Entry[] {
  const random = randomFrom(seed);
  const repeats = entries.filter(() => random() < 0.4);
  const arranged = [...entries, ...repeats];
  for (let last = arranged.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [arranged[last], arranged[other]] = [arranged[other] as Entry, arranged[last] as Entry];
  }
  return arranged;
}

function writePartnerAttempt(
  attempt: PartnerAttempt,
  index: number,
  writer: Writer,
): SetDelivery[] {
  const startedAt = secondOf(index, 0);
  const paymentId = `pay_${writer.tag}${index}`;
  const payment = (changes: Fields) =>
    partnerPayment({
      id: paymentId,
      order_id: `order_${writer.tag}`,
      created_at: startedAt,
      ...partnerAmount(attempt.amount),
      ...methodFields(attempt.method),
      ...changes,
    });
  if (attempt.release) return writeRelease(attempt, attempt.release, index, writer, payment);
  const ofPayment = attempt.events.map((said): SetDelivery => {
    const hasNotes = said.hasNotes || writer.isFirstOfPartner();
    const record = payment({
      ...partnerCondition(said.event),
      notes: hasNotes ? { invoice_id: writer.invoiceId } : [],
      ...(said.hasArn && acquirerData(attempt.method)),
    });
    const order = {
      id: `order_${writer.tag}`,
      entity: 'order',
      receipt: writer.invoiceId,
      ...(attempt.amount === 'with offer' && { amount: expectedTotal, offers: ['offer_1'] }),
    };
    const records: Records =
      said.event === 'order.paid' ? { payment: record, order } : { payment: record };
    return partnerDelivery(writer, said, startedAt, records);
  });
  const ofRefunds = attempt.refunds.flatMap((refund, number) => {
    const refundedAt = secondOf(index, number + 1);
    const amount = refund.isFull ? partnerAmount(attempt.amount).amount : part;
    return refund.events.map((said): SetDelivery => {
      const paid = payment({ status: refund.isFull ? 'refunded' : 'captured' });
      const record = partnerRefund(paid, {
        id: `rfnd_${writer.tag}${index}${number}`,
        amount,
        currency: partnerAmount(attempt.amount).currency,
        created_at: refundedAt,
        status: refundRecordStatus(said.event),
        receipt: refund.hasReceipt ? `RR-${writer.tag}-${index}-${number}` : null,
        acquirer_data: said.hasArn ? { arn: `arn-${index}-${number}-${said.delay}` } : {},
      });
      const records: Records = said.hasPayment
        ? { refund: record, payment: paid }
        : { refund: record };
      return partnerDelivery(writer, { ...said, isFlat: false }, refundedAt, records);
    });
  });
  const ofDisputes = attempt.disputes.flatMap((dispute, number) =>
    writeDispute(dispute, { attempt, index, number, paymentId }, writer),
  );
  return [...ofPayment, ...ofRefunds, ...ofDisputes];
}

/** The payment in the body of a dispute may say anything, and its `amount_refunded` too. */
function writeDispute(
  { amount, events }: Of<typeof partnerDisputes>,
  of: { attempt: PartnerAttempt; index: number; number: number; paymentId: string },
  writer: Writer,
): SetDelivery[] {
  const { index, number, paymentId } = of;
  const paid = partnerAmount(of.attempt.amount);
  const openedAt = secondOf(index, number + 1);
  return events.map(({ event, delay, hasEventTime, hasPayment, isRead }): SetDelivery => {
    const isFinal = ['won', 'lost', 'closed'].includes(event);
    const claimed = amount === 'full' ? paid.amount : part;
    const dispute = {
      id: `disp_${writer.tag}${index}${number}`,
      payment_id: paymentId,
      ...(amount !== 'unknown' && { amount: claimed, currency: paid.currency }),
      amount_deducted: event === 'lost' ? claimed : 0,
      reason_code: 'goods_not_received',
      respond_by: openedAt + 100,
      status: isFinal || event === 'under_review' ? event : 'open',
      phase: delay === 0 ? 'chargeback' : 'arbitration',
      created_at: openedAt,
    };
    const unpaid = { status: 'authorized', captured: false, amount_refunded: paid.amount };
    const payment = partnerPayment({ id: paymentId, notes: [], order_id: null, ...unpaid });
    const at = openedAt + delay;
    const body = {
      ...partnerEvent(
        `payment.dispute.${event}`,
        { dispute, ...(hasPayment && { payment }) },
        { created_at: hasEventTime ? at : undefined },
      ),
      ...(isRead && event !== 'action_required' && { read_at: at }),
    };
    return { provider: 'partner', eventId: writer.nextEventId(), body };
  });
}

/** An authorisation that expires: `captured` is false in all of its records. */
function writeRelease(
  attempt: PartnerAttempt,
  release: NonNullable<PartnerAttempt['release']>,
  index: number,
  writer: Writer,
  payment: (changes: Fields) => Fields,
): SetDelivery[] {
  const startedAt = secondOf(index, 0);
  const releasedAt = secondOf(index, 3);
  const named = { notes: { invoice_id: writer.invoiceId }, captured: false, fee: null, tax: null };
  const released = payment({ ...named, status: 'refunded', refund_status: 'full' });
  const plain = { hasEventTime: true, isFlat: false };
  const refund = partnerRefund(released, {
    id: `rfnd_${writer.tag}${index}`,
    amount: partnerAmount(attempt.amount).amount,
    currency: partnerAmount(attempt.amount).currency,
    created_at: releasedAt,
    notes: named.notes,
  });
  const report = (event: string, since: number, delay: number, records: Records) =>
    partnerDelivery(writer, { ...plain, event, delay }, since, records);
  return [
    report('payment.authorized', startedAt, 1, {
      payment: payment({ ...named, status: 'authorized' }),
    }),
    ...(release.asRefund
      ? [
          report('refund.created', releasedAt, 0, { refund }),
          report('refund.processed', releasedAt, 1, {
            refund,
            ...(release.hasPayment && { payment: released }),
          }),
        ]
      : []),
    ...(release.asStatus || !release.asRefund || !release.hasPayment
      ? [report('payment.captured', releasedAt, 2, { payment: released })]
      : []),
  ];
}

function partnerDelivery(
  writer: Writer,
  said: { event: string; delay: number; hasEventTime: boolean; isFlat: boolean },
  since: number,
  records: Records,
): SetDelivery {
  const at = said.hasEventTime ? { created_at: since + said.delay } : { created_at: undefined };
  const body = partnerEvent(said.event, records, at);
  return {
    provider: 'partner',
    eventId: writer.nextEventId(),
    body: said.isFlat ? { ...body, payload: records } : body,
  };
}

function partnerAmount(kind: AmountKind) {
  switch (kind) {
    case 'expected':
      return { amount: expectedTotal, currency: 'INR' };
    case 'less':
      return { amount: expectedTotal - 100, currency: 'INR' };
    case 'foreign currency':
      return { amount: expectedTotal, currency: 'USD' };
    case 'with customer fee':
      return { amount: expectedTotal + fee, currency: 'INR', fee, fee_bearer: 'customer' };
    case 'with offer':
      return { amount: expectedTotal - offerDiscount, currency: 'INR', offer_id: 'offer_1' };
    default:
      return kind satisfies never;
  }
}

/** The partner knows its fee once the payment is captured. */
function partnerCondition(event: string): Fields {
  switch (event) {
    case 'payment.authorized':
      return { status: 'authorized', captured: false, fee: null, tax: null };
    case 'payment.failed':
      return {
        status: 'failed',
        captured: false,
        fee: null,
        tax: null,
        error_code: 'BAD_REQUEST_ERROR',
        error_description: 'Your payment was declined by the bank.',
        error_source: 'issuer',
        error_step: 'payment_authorization',
        error_reason: 'payment_declined',
      };
    default:
      return { status: 'captured' };
  }
}

function refundRecordStatus(event: string): string {
  return event === 'refund.created' ? 'pending' : event.replace('refund.', '');
}

function methodFields(method: string): Fields {
  const none = { method, card: null, card_id: null, acquirer_data: {} };
  switch (method) {
    case 'upi':
      return { ...none, vpa: 'asha@okbank', upi: { vpa: 'asha@okbank', flow: 'collect' } };
    case 'netbanking':
      return { ...none, bank: 'HDFC' };
    case 'wallet':
      return { ...none, wallet: 'freecharge' };
    default:
      return {};
  }
}

function acquirerData(method: string): Fields {
  const names: Readonly<Record<string, string>> = {
    card: 'arn',
    upi: 'rrn',
    netbanking: 'bank_transaction_id',
    wallet: 'transaction_id',
  };
  return { acquirer_data: { [names[method] ?? 'arn']: `${method}-74537604221` } };
}
