/** The call to a provider for one capture or void. Contract 16.4. */
import type { Account } from '../../domain/accounts/account.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { addOperationResult } from '../../domain/order-state/operations.ts';
import { setOperations } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import { isPending, type RequestedOperation } from '../../domain/payments/operation.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ProviderApi } from '../../providers/call.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { loadOrderState, lockOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { callResultOfStart, recordCall, storeAnswers } from './record-calls.ts';

/** A provider as an account reaches it, and the order that the call is about. */
export type OperationRoute = {
  readonly account: Account;
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly api: ProviderApi;
};

const refused = {
  capture: { what: 'the capture', code: 'PROVIDER_TECHNICAL_ERROR' },
  void: { what: 'the void', code: 'PROVIDER_TECHNICAL_ERROR' },
} as const;
const unknown = { call: 'unknown' } as const;
/** The poll sends it again. */
const unsent = { call: 'unsent' } as const;

/**
 * Uses the same id each time. `mayBeMade`: an earlier call may have reached the provider, and a refusal of its repeat then
 * proves nothing. Contract 4.16.
 */
export async function sendOperation(
  services: Services,
  { account, orderId, provider, api }: OperationRoute,
  operation: RequestedOperation,
  { mayBeMade = false }: { readonly mayBeMade?: boolean } = {},
): Promise<void> {
  const { outbound } = getProvider(provider);
  const { kind, transactionId, operationId } = operation;
  const request = outbound.holds?.[kind];
  if (!request) return;
  const { answer, result } = await request(api, operation);
  // Stored before the call is recorded: whoever waits for the call then sees the provider's answer.
  if (result.kind === 'done') await storeAnswers(services, account, provider, result.records);
  const callResult = callResultOfStart(result, refused[kind], services.clock(), () => unsent);
  await recordCall(services, {
    accountId: account.accountId,
    orderId,
    transactionId,
    provider,
    operation: `start-${kind}`,
    answer,
    outcome: result.kind,
    callResult: mayBeMade && callResult.call === 'refused' ? unknown : callResult,
    operationId,
  });
}

/**
 * Sends again what the provider does not list, as far as its first call is over. Before the first repeat of a call that
 * did not reach the provider, that is stored: should the process end then, the result counts as unknown. Contract 16.4.
 */
export async function resendOperations(
  services: Services,
  route: OperationRoute,
  transactionId: string,
  knownIds: readonly string[] = [],
): Promise<void> {
  const { database, clock } = services;
  const order = await findOrder(database, route.account.accountId, route.orderId);
  if (!order?.operations) return;
  const { operations = [], transactions } = await loadOrderState(database, order);
  const payment = paymentsOf(transactions).find((entry) => entry.transactionId === transactionId);
  const own = (payment?.operations ?? []).filter(isPending).map(({ operationId }) => operationId);
  for (const operation of operations) {
    const { operationId, call, atMs, pspId } = operation;
    const isListed = knownIds.includes(operationId);
    const isRunning = call === 'open' && clock().getTime() < atMs + paymentLimits.firstAnswerMsMax;
    // Accepted, so a repeat changes nothing: the provider tells what becomes of it.
    const isTaken = call === 'taken' && (pspId === undefined || isListed);
    if (!own.includes(operationId) || isListed || isRunning || isTaken) continue;
    const isFirst = call === 'unsent' && (await claimFirstSending(services, route, operationId));
    await sendOperation(services, route, operation, { mayBeMade: !isFirst });
  }
}

/** False if the call was sent by somebody else meanwhile. */
async function claimFirstSending(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  { account, orderId }: OperationRoute,
  operationId: string,
): Promise<boolean> {
  return services.database.transaction(async (tx) => {
    const before = await lockOrderState(tx, account.accountId, orderId);
    const { operations = [] } = before;
    const own = operations.find((entry) => entry.operationId === operationId);
    if (own?.call !== 'unsent') return false;
    const now = services.clock();
    const changed = addOperationResult(operations, operationId, { call: 'open' });
    const after = settle(setOperations(before, changed), now);
    await saveOrderState(tx, services, before, after, { now, cause: own.kind });
    return true;
  });
}
