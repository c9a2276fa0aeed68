/**
 * Random histories of bank gateway orders: authorisations, payments, partial captures, voids and refunds in any
 * sequence, with and without targets. Notifications report each of them, and a status fetch may report them again, with
 * the totals that the gateway would have at that time.
 */
import fc from 'fast-check';
import { gatewayBody, toFormData } from './deliveries.ts';
import {
  type AmountKind,
  amounts,
  expectedMerchant,
  expectedTotal,
  type Fields,
  firstSecond,
  isoSecond,
  type Of,
  part,
  type SetDelivery,
  secondOf,
  type Writer,
} from './set-writer.ts';

/** The successive notifications of one gateway transaction. */
const updates = fc.array(
  fc.record({
    result: fc.constantFrom('SUCCESS' as const, 'SUCCESS' as const, 'FAILURE', 'PENDING'),
    hasNotificationId: fc.boolean(),
    isForm: fc.boolean(),
    isDetailed: fc.boolean(),
    hasTarget: fc.boolean(),
    isOwnMerchant: fc.oneof(
      { weight: 9, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
  }),
  { minLength: 1, maxLength: 2 },
);
type Update = Of<typeof updates>[number];

/** The steps of a payment after it was made. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('capture' as const),
        quarters: fc.integer({ min: 1, max: 4 }),
        updates,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('void' as const),
        of: fc.constantFrom('payment', 'capture', 'capture', 'refund'),
        which: fc.nat({ max: 2 }),
        updates,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('refund' as const),
        type: fc.constantFrom('REFUND', 'REFUND', 'REFUND_REQUEST'),
        isFull: fc.boolean(),
        ofCapture: fc.boolean(),
        updates,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('chargeback' as const),
        isFull: fc.boolean(),
        ofCapture: fc.boolean(),
        updates,
      }),
    },
  ),
  { maxLength: 5 },
);
type Step = Of<typeof steps>[number];

export const gatewayAttempts = fc.record({
  provider: fc.constant('bank-gateway' as const),
  /** True if our invoice is the reference of the gateway's order instead of its id. */
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
    { freq: 3 },
  ),
  type: fc.constantFrom('PAYMENT' as const, 'AUTHORIZATION' as const, 'AUTHORIZATION' as const),
  updates,
  steps,
  /** Version 22 of the gateway's API never sends a target, the newest always does. */
  targets: fc.constantFrom('always' as const, 'never' as const, 'mixed' as const),
  hasTotals: fc.boolean(),
  isFetched: fc.boolean(),
});
export type GatewayAttempt = Of<typeof gatewayAttempts>;

/** A notification before it is written, with its time and its effect on the captured total. */
type Draft = {
  readonly gatewayOrder: string;
  readonly update: Update;
  readonly atSecond: number;
  readonly body: Fields;
  readonly hasTotals: boolean;
  readonly taken: number;
  readonly isFetch: boolean;
};

export function writeGatewayAttempts(
  attempts: ReadonlyArray<{ readonly attempt: GatewayAttempt; readonly index: number }>,
  writer: Writer,
): SetDelivery[] {
  const drafts = attempts.flatMap(({ attempt, index }) => draftAttempt(attempt, index, writer));
  const fetches = attempts.flatMap(({ attempt, index }) =>
    attempt.isFetched ? fetchOf(drafts, `${index}-`, orderIdOf(attempt, writer)) : [],
  );
  const ofOrder = (name: string) => drafts.filter(({ gatewayOrder }) => gatewayOrder === name);
  return [...drafts, ...fetches].map((draft) => write(draft, ofOrder(draft.gatewayOrder), writer));
}

function orderIdOf({ isNamedByReference }: GatewayAttempt, writer: Writer): string {
  return isNamedByReference ? `GW-${writer.tag}` : writer.invoiceId;
}

/** The records of a status fetch: the last update with its target and the current totals. */
function fetchOf(drafts: readonly Draft[], prefix: string, gatewayOrder: string): Draft[] {
  const own = drafts.filter(
    ({ body, gatewayOrder: name }) => name === gatewayOrder && idOf(body).startsWith(prefix),
  );
  const last = new Map(own.map((draft) => [idOf(draft.body), draft]));
  return [...last.values()].map((draft) => ({
    ...draft,
    update: { ...draft.update, hasNotificationId: true, isForm: false, hasTarget: true },
    isFetch: true,
  }));
}

function idOf({ transaction }: Fields): string {
  return String((transaction as Fields).id);
}

/** The totals include everything up to the time of the notification. */
function write(draft: Draft, ofOrder: readonly Draft[], writer: Writer): SetDelivery {
  const { body, update, atSecond, hasTotals, isFetch } = draft;
  const latest = Math.max(...ofOrder.map((other) => other.atSecond));
  const readAt = isFetch ? latest : atSecond;
  const taken = ofOrder
    .filter((other) => other.atSecond <= readAt)
    .reduce((sum, other) => sum + other.taken, 0);
  const { targetTransactionId, ...transaction } = body.transaction as Fields;
  const isTargeted = targetTransactionId !== undefined && (update.hasTarget || isFetch);
  const whole = {
    ...body,
    order: {
      ...(body.order as Fields),
      totalCapturedAmount: hasTotals ? taken / 100 : undefined,
      lastUpdatedTime: isoSecond(readAt),
    },
    transaction: { ...transaction, ...(isTargeted && { targetTransactionId }) },
  };
  return {
    provider: 'bank-gateway',
    ...(update.hasNotificationId && { eventId: writer.nextEventId() }),
    body: update.isForm ? toFormData(whole) : whole,
  };
}

/** The captures and refunds of an attempt so far. */
type Made = { readonly id: string; readonly minor: number; stands: boolean };

function draftAttempt(attempt: GatewayAttempt, index: number, writer: Writer): Draft[] {
  const gatewayOrder = orderIdOf(attempt, writer);
  const { minor, currency } = gatewayAmount(attempt.amount);
  const tell = createDrafter(attempt, index, gatewayOrder, currency, writer);
  const id = (name: string) => `${index}-${name}`;
  const { authentication, type } = attempt;
  const drafts: Draft[] = [];
  if (authentication) {
    const sent = authentication.statuses.map((status, number) => ({
      ...plainUpdate,
      isDetailed: authentication.isDetailed[number] ?? true,
      status,
    }));
    drafts.push(
      ...tell(sent, { id: id('auth'), type: 'AUTHENTICATION' }, minor, 0, ({ status }) => ({
        result: status.endsWith('PENDING') ? 'PENDING' : 'SUCCESS',
        response: { gatewayCode: 'APPROVED', acquirerMessage: undefined },
        transaction: { authenticationStatus: status },
        order: { authenticationStatus: status },
      })),
    );
  }
  const isPaid = type === 'PAYMENT' && isDone(attempt.updates);
  drafts.push(...tell(attempt.updates, { id: id('pay'), type }, minor, isPaid ? minor : 0));
  const made = {
    captures: [] as Made[],
    refunds: [] as Made[],
    payment: { id: id('pay'), minor, stands: isPaid },
  };
  attempt.steps.forEach((step, number) => {
    drafts.push(...draftStep(step, number, { attempt, id, minor, made, tell }));
  });
  return drafts;
}

type Writing = {
  readonly attempt: GatewayAttempt;
  readonly id: (name: string) => string;
  readonly minor: number;
  readonly made: { readonly captures: Made[]; readonly refunds: Made[]; readonly payment: Made };
  readonly tell: ReturnType<typeof createDrafter>;
};

function draftStep(
  step: Step,
  number: number,
  { attempt, id, minor, made, tell }: Writing,
): Draft[] {
  const { captures, refunds, payment } = made;
  switch (step.kind) {
    case 'capture': {
      if (attempt.type === 'PAYMENT') return [];
      const capture = {
        id: id(`step${number}`),
        minor: (minor * step.quarters) / 4,
        stands: isDone(step.updates),
      };
      captures.push(capture);
      const transaction = { id: capture.id, type: 'CAPTURE', targetTransactionId: payment.id };
      return tell(step.updates, transaction, capture.minor, capture.stands ? capture.minor : 0);
    }
    case 'void': {
      const list = step.of === 'capture' ? captures : step.of === 'refund' ? refunds : [];
      const target = list[step.which % Math.max(1, list.length)] ?? payment;
      const type =
        list.length > 0
          ? `VOID_${step.of.toUpperCase()}`
          : attempt.type === 'PAYMENT'
            ? 'VOID_PAYMENT'
            : 'VOID_AUTHORIZATION';
      const isMoney = target.stands && isDone(step.updates) && !refunds.includes(target);
      if (isMoney) target.stands = false;
      const transaction = { id: id(`step${number}`), type, targetTransactionId: target.id };
      return tell(step.updates, transaction, target.minor, isMoney ? -target.minor : 0);
    }
    case 'refund': {
      const target = step.ofCapture ? (captures[0] ?? payment) : payment;
      const refund = { id: id(`step${number}`), minor: step.isFull ? minor : part, stands: true };
      refunds.push(refund);
      const transaction = { id: refund.id, type: step.type, targetTransactionId: target.id };
      return tell(step.updates, transaction, refund.minor, 0);
    }
    case 'chargeback': {
      const target = step.ofCapture ? (captures[0] ?? payment) : payment;
      const taken = step.isFull ? minor : part;
      const transaction = { id: id(`step${number}`), type: 'CHARGEBACK' };
      return tell(step.updates, { ...transaction, targetTransactionId: target.id }, taken, 0);
    }
    default:
      return step satisfies never;
  }
}

function isDone(sent: readonly Update[]): boolean {
  return sent.some(({ result }) => result === 'SUCCESS');
}

const plainUpdate: Update = {
  result: 'SUCCESS',
  hasNotificationId: true,
  isForm: false,
  isDetailed: true,
  hasTarget: true,
  isOwnMerchant: true,
};

/** Drafts the notifications of one gateway transaction: same ids, each with a newer update. */
function createDrafter(
  { targets, hasTotals }: GatewayAttempt,
  index: number,
  gatewayOrder: string,
  currency: string,
  writer: Writer,
) {
  let records = 0;
  return <Kind extends Update>(
    sent: readonly Kind[],
    transaction: Fields & { readonly id: string; readonly type: string },
    minor: number,
    /** The effect of its first success on the captured total. */
    taken: number,
    more: (update: Kind) => Record<string, unknown> = () => ({}),
  ): Draft[] => {
    const recordedAt = secondOf(index, records);
    records += 1;
    const first = sent.findIndex(({ result }) => result === 'SUCCESS');
    return sent.map((update, number): Draft => {
      const hasTarget = targets === 'always' || (targets === 'mixed' && update.hasTarget);
      const changes = more(update);
      const body = gatewayBody({
        merchant: update.isOwnMerchant ? expectedMerchant : 'SOMEBODY_ELSE',
        result: update.result,
        response: responseOf(update.result),
        timeOfRecord: isoSecond(recordedAt),
        timeOfLastUpdate: isoSecond(recordedAt + number + 1),
        ...(!update.isDetailed && { sourceOfFunds: undefined }),
        ...changes,
        order: {
          id: gatewayOrder,
          reference: writer.invoiceId,
          amount: minor / 100,
          currency,
          creationTime: isoSecond(firstSecond),
          ...(changes.order as Fields),
        },
        transaction: {
          amount: minor / 100,
          currency,
          receipt: update.isDetailed ? `receipt-${transaction.id}` : undefined,
          ...transaction,
          ...(changes.transaction as Fields),
        },
      });
      return {
        gatewayOrder,
        update: { ...update, hasTarget },
        atSecond: recordedAt + number + 1,
        body,
        hasTotals,
        taken: number === first ? taken : 0,
        isFetch: false,
      };
    });
  };
}

function responseOf(result: string): Fields {
  switch (result) {
    case 'FAILURE':
      return { gatewayCode: 'DECLINED', acquirerCode: '05', acquirerMessage: 'Do not honour' };
    case 'PENDING':
      return { gatewayCode: 'PENDING', acquirerCode: undefined, acquirerMessage: undefined };
    default:
      return {};
  }
}

/** Fees and offers exist at the partner only. */
function gatewayAmount(kind: AmountKind) {
  const minor = kind === 'less' ? expectedTotal - 100 : expectedTotal;
  return { minor, currency: kind === 'foreign currency' ? 'USD' : 'INR' };
}
