/**
 * Captures or voids an authorised payment. It is decided and stored under the order's lock, then sent to the provider with
 * nothing locked, then recorded. An unknown result is polled. Contract 16.3, 16.4.
 */
import type { Account } from '../../domain/accounts/account.ts';
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { formatAmount } from '../../domain/money/money.ts';
import { newTransactionId, paymentsOf } from '../../domain/order-state/matching.ts';
import {
  decideOperation,
  type OperationRequest,
} from '../../domain/order-state/operation-request.ts';
import { setOperations } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { RequestedOperation } from '../../domain/payments/operation.ts';
import type { Operation } from '../../domain/payments/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Caller } from '../../security/tokens.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import { saveAnswer } from '../../store/payments/idempotency-keys.ts';
import { type LockedOrderState, lockOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { getNamedOrder } from '../orders/get-named-order.ts';
import {
  claimFirst,
  comparableAmount,
  findAnswered,
  findFirstAnswer,
  type KeyedRequest,
  keyedRequest,
  type Replayable,
} from './idempotency.ts';
import { type OperationRoute, sendOperation } from './operation-calls.ts';

type SentOperation = OperationRequest & { readonly comment: string | undefined };

export type OperationReply = {
  readonly kind: Operation['kind'];
  readonly orderId: string;
  readonly paymentTransactionId: string;
  readonly transactionId: string;
  readonly status: Operation['status'];
  readonly message: string;
};

type OperationOptions = {
  readonly idempotencyKey?: string | undefined;
  /** The user of the dashboard, or the operator, who requests it: it is written to the audit log. */
  readonly by?: Actor;
};

/** For a user of the dashboard or an operator. The key makes a double click or a second tab return the first. */
export function operateAs(
  services: Services,
  by: Actor,
  { accountId, orderId }: OrderKey,
  { key, ...sent }: SentOperation & { readonly key?: string },
) {
  if (!sent.transactionId.startsWith(`${orderId}-`)) {
    throw new ServiceError('NOT_FOUND', 'The order has no such payment.');
  }
  const caller = { type: 'merchant', accountId, secretMark: '' } as const;
  const idempotencyKey = key === undefined ? undefined : `dashboard ${key}`;
  return operate(services, caller, sent, { idempotencyKey, by });
}

export async function operate(
  services: Services,
  caller: Caller,
  request: SentOperation,
  { idempotencyKey, by }: OperationOptions = {},
): Promise<Replayable<OperationReply>> {
  const { accountId } = caller;
  const { kind, transactionId } = request;
  const account = await services.accounts.get(accountId);
  const { order } = await getNamedOrder(services, caller, { transactionId, invoiceId: undefined });
  const { orderId } = order;
  const amount = comparableAmount(request.amount, order.amounts.currency);
  const keyed = keyedRequest(caller, kind, idempotencyKey, { ...request, amount, orderId });
  const stored = await services.database.transaction(async (tx) => {
    const before = await lockOrderState(tx, accountId, orderId);
    const answered = await findAnswered(tx, services, keyed);
    if (answered) return answered;
    return storeOperation(tx, services, account, before, request, { keyed, by });
  });
  if (stored.kind === 'answered') {
    const answer = await findFirstAnswer<OperationReply>(services, stored);
    const read = () => readOperation(services, accountId, orderId, stored.first.transactionId);
    return { reply: answer ?? (await read()), replayed: true };
  }
  const reply = await makeOperation(services, stored);
  if (keyed) {
    await saveAnswer(services.database, keyed, reply.transactionId, reply).catch((error: unknown) =>
      services.reportDefect(error, { transactionId: reply.transactionId }),
    );
  }
  return { reply, replayed: false };
}

type StoredOperation = {
  readonly kind: 'new';
  readonly route: OperationRoute;
  readonly operation: RequestedOperation;
};

async function storeOperation(
  tx: Transaction,
  services: Services,
  account: Account,
  before: LockedOrderState,
  request: SentOperation,
  { keyed, by }: { readonly keyed: KeyedRequest | undefined; readonly by: Actor | undefined },
): Promise<StoredOperation> {
  const now = services.clock();
  const { kind, comment } = request;
  const { accountId } = account;
  const { orderId } = before.order;
  const current = settle(before, now);
  const { payment, amount } = decideOperation(current, request, {
    now,
    takesParts: ({ provider }) => getProvider(provider).outbound.holds?.takesParts === true,
  });
  const { provider, transactionId, pspTransactionId: paymentPspId, currency } = payment;
  const { displayName, outbound } = getProvider(provider);
  const { holds } = outbound;
  const api = findProviderApi(services, account, provider);
  if (!api || !holds) {
    throw new ServiceError(
      kind === 'capture' ? 'CAPTURE_NOT_ALLOWED' : 'VOID_NOT_ALLOWED',
      api
        ? `Payments at ${displayName} cannot be captured or voided.`
        : `The account has no API settings for ${displayName}: ask the operator to set them.`,
    );
  }
  const { operations = [] } = before;
  const operationId = newOperationId(orderId, kind, operations, now);
  // A provider without voids is not called: from now on nothing more is captured here. Contract 16.5.
  const isCalled = holds[kind] !== undefined;
  const pspId = isCalled ? holds.pspIdOf?.({ paymentPspId, operationId }) : undefined;
  const operation: RequestedOperation = {
    operationId,
    kind,
    provider,
    transactionId,
    paymentPspId,
    ...(pspId !== undefined && { pspId }),
    amount,
    currency,
    atMs: now.getTime(),
    ...(comment !== undefined && { comment }),
    call: isCalled ? 'open' : 'taken',
  };
  const after = settle(setOperations(current, [...operations, operation]), now);
  await saveOrderState(tx, services, before, after, { now, cause: kind });
  await claimFirst(tx, services, keyed, { orderId, transactionId: operationId });
  if (by) {
    const money = formatAmount(amount, displayExponent(currency));
    const details = { payment: transactionId, amount: money, currency };
    const action = `${kind}.requested` as const;
    const entry = { accountId, action, object: operationId, note: comment ?? null, details };
    await appendAudit(tx, by, now, entry);
  }
  return { kind: 'new', route: { account, orderId, provider, api }, operation };
}

/** Ids of captures and voids end with a letter, so that no payment or refund can have the same. */
function newOperationId(
  orderId: string,
  kind: Operation['kind'],
  operations: readonly RequestedOperation[],
  now: Date,
): string {
  const suffix = kind === 'capture' ? '-c' : '-v';
  const taken = operations.map(({ operationId }) => operationId.slice(0, -suffix.length));
  return `${newTransactionId(orderId, new Set(taken), now)}${suffix}`;
}

async function makeOperation(
  services: Services,
  { route, operation }: StoredOperation,
): Promise<OperationReply> {
  const { account, orderId } = route;
  const { operationId, call } = operation;
  try {
    if (call === 'open') await sendOperation(services, route, operation);
    return await readOperation(services, account.accountId, orderId, operationId);
  } catch (error) {
    // It is stored and its result is polled. An error would make the caller request it a second time.
    services.reportDefect(error, { transactionId: operationId });
    return replyOf(orderId, operation.transactionId, { ...operation, status: 'pending' });
  }
}

async function readOperation(
  { batches }: Pick<Services, 'batches'>,
  accountId: string,
  orderId: string,
  operationId: string,
): Promise<OperationReply> {
  const question = { accountId, idName: 'order_id', id: orderId } as const;
  const found = await batches.findOrderWithTransactions(question);
  for (const payment of paymentsOf(found?.transactions ?? [])) {
    const operation = payment.operations?.find((entry) => entry.operationId === operationId);
    if (operation) return replyOf(orderId, payment.transactionId, operation);
  }
  throw new Error('a stored capture or void is missing');
}

const messages = {
  capture: {
    pending:
      'The capture is on its way: its result follows as an event and in transaction-enquiry.',
    succeeded: 'The payment was captured.',
    failed: 'The payment was not captured.',
  },
  void: {
    pending: 'The void is on its way: its result follows as an event and in transaction-enquiry.',
    succeeded: 'What was reserved is released.',
    failed: 'The payment was not voided.',
  },
} as const;

function replyOf(
  orderId: string,
  paymentTransactionId: string,
  {
    kind,
    operationId,
    status,
    failure,
  }: Partial<Operation> & Pick<Operation, 'kind' | 'operationId' | 'status'>,
): OperationReply {
  const message = failure?.merchantMessage ?? messages[kind][status];
  return { kind, orderId, paymentTransactionId, transactionId: operationId, status, message };
}
