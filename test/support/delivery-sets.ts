/**
 * Random sets of deliveries about one order, as both providers would send them: a plan says what
 * happened, `writeDeliveries` writes it down in the providers' shapes. Plans are plain values
 * without ids, so that they shrink well and one plan can be told to several orders.
 */
import fc from 'fast-check';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  toFormData,
} from './deliveries.ts';

type Members = Record<string, unknown>;
type Records = Record<string, Members>;
type Of<Source> = Source extends fc.Arbitrary<infer Value> ? Value : never;

/** One call of a provider; a string is form data. */
export type SetDelivery = {
  readonly provider: 'partner' | 'bank-gateway';
  /** The repeat key in its header; absent where only the content can tell. */
  readonly eventId?: string;
  readonly body: Members | string;
};

export type SetNames = {
  /** What the deliveries call the order. */
  readonly invoiceId: string;
  /** Makes the ids of the providers this set's own. */
  readonly tag: string;
};

/** What the orders of these sets cost, in minor units of INR. */
export const expectedTotal = 11_800;
/** The bank gateway merchant of the accounts that receive these sets. */
export const expectedMerchant = 'TESTMERCHANT';

const fee = 236;
const part = 5_000;
const firstSecond = 1_794_700_000;

const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.constant('expected' as const) },
  { weight: 1, arbitrary: fc.constant('less' as const) },
  { weight: 1, arbitrary: fc.constant('foreign currency' as const) },
  { weight: 1, arbitrary: fc.constant('with customer fee' as const) },
);
type AmountKind = Of<typeof amounts>;

/** Few different seconds, so that times are often equal. */
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

const partnerAttempts = fc.record({
  provider: fc.constant('partner' as const),
  method: fc.constantFrom('card', 'upi', 'netbanking', 'wallet'),
  amount: amounts,
  events: fc.array(partnerEvents, { minLength: 1, maxLength: 4 }),
  refunds: fc.array(
    fc.record({
      isFull: fc.boolean(),
      hasReceipt: fc.boolean(),
      events: fc.array(partnerRefundEvents, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
});

/** What the gateway says of one of its transactions, one notification after the other. */
const updates = fc.array(
  fc.record({
    result: fc.constantFrom('SUCCESS' as const, 'SUCCESS' as const, 'FAILURE', 'PENDING'),
    hasNotificationId: fc.boolean(),
    isForm: fc.boolean(),
    isDetailed: fc.boolean(),
    isOwnMerchant: fc.oneof(
      { weight: 9, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
  }),
  { minLength: 1, maxLength: 2 },
);
type Update = Of<typeof updates>[number];

const gatewayAttempts = fc.record({
  provider: fc.constant('bank-gateway' as const),
  /** Whether the gateway's order id is our invoice, or only its reference. */
  isNamedByReference: fc.boolean(),
  amount: amounts,
  authentication: fc.option(
    fc.record({
      statuses: fc.constantFrom(
        ['AUTHENTICATION_SUCCESSFUL'],
        ['AUTHENTICATION_UNSUCCESSFUL'],
        ['AUTHENTICATION_PENDING', 'AUTHENTICATION_SUCCESSFUL'],
        ['AUTHENTICATION_PENDING', 'AUTHENTICATION_UNSUCCESSFUL'],
      ),
      isDetailed: fc.tuple(fc.boolean(), fc.boolean()),
    }),
  ),
  payment: fc.oneof(
    fc.record({ type: fc.constant('PAYMENT' as const), updates }),
    fc.record({
      type: fc.constant('AUTHORIZATION' as const),
      updates,
      /** Parts that add up to the whole, so that only the last completes it. */
      captures: fc.array(updates, { maxLength: 3 }),
    }),
  ),
  void: fc.option(fc.record({ isOfCapture: fc.boolean(), updates }), { freq: 2 }),
  refunds: fc.array(
    fc.record({
      type: fc.constantFrom('REFUND', 'REFUND', 'REFUND_REQUEST'),
      isFull: fc.boolean(),
      target: fc.constantFrom('none', 'payment', 'capture'),
      updates,
    }),
    { maxLength: 2 },
  ),
});

export type PartnerAttempt = Of<typeof partnerAttempts>;
export type GatewayAttempt = Of<typeof gatewayAttempts>;
export type SetPlan = ReadonlyArray<PartnerAttempt | GatewayAttempt>;

/** Several attempts to pay one order, and what became of each. */
export function setPlans(attemptsMax: number): fc.Arbitrary<SetPlan> {
  const attempts = fc.oneof(partnerAttempts, gatewayAttempts);
  return fc.array(attempts, { minLength: 1, maxLength: attemptsMax });
}

/** The deliveries of a plan, in the order in which the providers first sent them. */
export function writeDeliveries(plan: SetPlan, names: SetNames): SetDelivery[] {
  const writer = createWriter(names);
  return plan.flatMap((attempt, index) =>
    attempt.provider === 'partner'
      ? writePartnerAttempt(attempt, index, writer)
      : writeGatewayAttempt(attempt, index, writer),
  );
}

/** The deliveries in a random order, some of them repeated, by a seed. */
export function arrange<Entry>(entries: readonly Entry[], seed: number): Entry[] {
  const random = createRandom(seed);
  const repeats = entries.filter(() => random() < 0.4);
  const arranged = [...entries, ...repeats];
  for (let last = arranged.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [arranged[last], arranged[other]] = [arranged[other] as Entry, arranged[last] as Entry];
  }
  return arranged;
}

/** Mulberry32: small, seeded, good enough to shuffle. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Writer = SetNames & {
  readonly nextEventId: () => string;
  /** True once for each set: one delivery at least must name the order. */
  readonly isFirstOfPartner: () => boolean;
};

function createWriter(names: SetNames): Writer {
  let events = 0;
  let isFirst = true;
  return {
    ...names,
    nextEventId: () => {
      events += 1;
      return `Ev${names.tag}${String(events).padStart(4, '0')}`;
    },
    isFirstOfPartner: () => {
      const answer = isFirst;
      isFirst = false;
      return answer;
    },
  };
}

function writePartnerAttempt(
  attempt: PartnerAttempt,
  index: number,
  writer: Writer,
): SetDelivery[] {
  const startedAt = secondOf(index, 0);
  const paymentId = `pay_${writer.tag}${index}`;
  const payment = (changes: Members) =>
    partnerPayment({
      id: paymentId,
      order_id: `order_${writer.tag}`,
      created_at: startedAt,
      ...partnerAmount(attempt.amount),
      ...methodMembers(attempt.method),
      ...changes,
    });
  const ofPayment = attempt.events.map((said): SetDelivery => {
    const hasNotes = said.hasNotes || writer.isFirstOfPartner();
    const record = payment({
      ...partnerCondition(said.event),
      notes: hasNotes ? { invoice_id: writer.invoiceId } : [],
      ...(said.hasArn && acquirerData(attempt.method)),
    });
    const order = { id: `order_${writer.tag}`, entity: 'order', receipt: writer.invoiceId };
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
  return [...ofPayment, ...ofRefunds];
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
    default:
      return kind satisfies never;
  }
}

/** The partner knows its fee once the payment is captured. */
function partnerCondition(event: string): Members {
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

function methodMembers(method: string): Members {
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

function acquirerData(method: string): Members {
  const names: Readonly<Record<string, string>> = {
    card: 'arn',
    upi: 'rrn',
    netbanking: 'bank_transaction_id',
    wallet: 'transaction_id',
  };
  return { acquirer_data: { [names[method] ?? 'arn']: `${method}-74537604221` } };
}

function writeGatewayAttempt(
  attempt: GatewayAttempt,
  index: number,
  writer: Writer,
): SetDelivery[] {
  const orderId = attempt.isNamedByReference ? `GW-${writer.tag}` : writer.invoiceId;
  const { currency, whole } = gatewayAmount(attempt.amount);
  const tell = createTeller(writer, { index, orderId, currency, whole });
  const id = (name: string) => `${index}-${name}`;
  const { authentication, payment } = attempt;
  const deliveries: SetDelivery[] = [];

  if (authentication) {
    const said = authentication.statuses.map((status, number) => ({
      ...plainUpdate,
      isDetailed: authentication.isDetailed[number] ?? true,
      status,
    }));
    deliveries.push(
      ...tell(said, { id: id('auth'), type: 'AUTHENTICATION' }, ({ status }) => ({
        result: status.endsWith('PENDING') ? 'PENDING' : 'SUCCESS',
        response: { gatewayCode: 'APPROVED', acquirerMessage: undefined },
        transaction: { authenticationStatus: status },
        order: { authenticationStatus: status },
      })),
    );
  }
  deliveries.push(...tell(payment.updates, { id: id('pay'), type: payment.type }));
  const captures = payment.type === 'AUTHORIZATION' ? payment.captures : [];
  captures.forEach((said, number) => {
    const isLast = number === captures.length - 1;
    const captured = isLast ? whole : (whole * (number + 1)) / 4;
    const transaction = {
      id: id(`capture${number}`),
      type: 'CAPTURE',
      targetTransactionId: id('pay'),
      amount: whole / 4,
    };
    deliveries.push(
      ...tell(said, transaction, () => ({ order: { totalCapturedAmount: captured } })),
    );
  });
  const firstCapture = captures.length > 0 ? id('capture0') : undefined;
  if (attempt.void) {
    const captureId = attempt.void.isOfCapture ? firstCapture : undefined;
    const ofWhole = payment.type === 'PAYMENT' ? 'VOID_PAYMENT' : 'VOID_AUTHORIZATION';
    const transaction = {
      id: id('void'),
      type: captureId === undefined ? ofWhole : 'VOID_CAPTURE',
      targetTransactionId: captureId ?? id('pay'),
    };
    deliveries.push(...tell(attempt.void.updates, transaction));
  }
  attempt.refunds.forEach(({ type, isFull, target, updates: said }, number) => {
    const targetId = target === 'capture' ? (firstCapture ?? id('pay')) : id('pay');
    const transaction = {
      id: id(`refund${number}`),
      type,
      amount: isFull ? whole : part / 100,
      ...(target !== 'none' && { targetTransactionId: targetId }),
    };
    deliveries.push(...tell(said, transaction));
  });
  return deliveries;
}

const plainUpdate: Update = {
  result: 'SUCCESS',
  hasNotificationId: true,
  isForm: false,
  isDetailed: true,
  isOwnMerchant: true,
};

/** Writes the notifications of one gateway transaction: same ids, each with a newer update. */
function createTeller(
  writer: Writer,
  order: {
    readonly index: number;
    readonly orderId: string;
    readonly currency: string;
    readonly whole: number;
  },
) {
  const { index, orderId, currency, whole } = order;
  let records = 0;
  return <Said extends Update>(
    said: readonly Said[],
    transaction: Members & { readonly id: string; readonly type: string },
    more: (update: Said) => Record<string, unknown> = () => ({}),
  ): SetDelivery[] => {
    const recordedAt = secondOf(index, records);
    records += 1;
    return said.map((update, number): SetDelivery => {
      const updatedAt = isoSecond(recordedAt + number + 1);
      const changes = more(update);
      const body = gatewayBody({
        merchant: update.isOwnMerchant ? expectedMerchant : 'SOMEBODY_ELSE',
        result: update.result,
        response: responseOf(update.result),
        timeOfRecord: isoSecond(recordedAt),
        timeOfLastUpdate: updatedAt,
        ...(!update.isDetailed && { sourceOfFunds: undefined }),
        ...changes,
        order: {
          id: orderId,
          reference: writer.invoiceId,
          amount: whole,
          currency,
          creationTime: isoSecond(firstSecond),
          ...(changes.order as Members),
        },
        transaction: {
          amount: whole,
          currency,
          receipt: update.isDetailed ? `receipt-${transaction.id}` : undefined,
          ...transaction,
          ...(changes.transaction as Members),
        },
      });
      return {
        provider: 'bank-gateway',
        ...(update.hasNotificationId && { eventId: writer.nextEventId() }),
        body: update.isForm ? toFormData(body) : body,
      };
    });
  };
}

function responseOf(result: string): Members {
  switch (result) {
    case 'FAILURE':
      return { gatewayCode: 'DECLINED', acquirerCode: '05', acquirerMessage: 'Do not honour' };
    case 'PENDING':
      return { gatewayCode: 'PENDING', acquirerCode: undefined, acquirerMessage: undefined };
    default:
      return {};
  }
}

/** In major units, as the gateway writes them. A fee on top is the partner's habit only. */
function gatewayAmount(kind: AmountKind) {
  const minor = kind === 'less' ? expectedTotal - 100 : expectedTotal;
  return { whole: minor / 100, currency: kind === 'foreign currency' ? 'USD' : 'INR' };
}

/** When a record of an attempt began: a second of its own, between those of the other attempts. */
function secondOf(attempt: number, record: number): number {
  return firstSecond + 100 * record + 10 * attempt;
}

function isoSecond(second: number): string {
  return new Date(second * 1000).toISOString();
}
