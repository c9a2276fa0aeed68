/** The calls to a provider for one refund: a single call, or one for each capture that the refund is split over. */
import type { Account } from '../../domain/accounts/account.ts';
import { applyStart } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { CallState, Start } from '../../domain/payments/start.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ProviderApi } from '../../providers/call.ts';
import type { RefundToStart } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { lockOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { callIdOf } from '../order-state/start-refund.ts';
import { addResult, callResultOfStart, recordCall, storeAnswers } from './record-calls.ts';

/** The provider's ids of these calls, or undefined if the provider chooses them. */
export function pspIdsOf(provider: string, calls: readonly RefundToStart[]) {
  const { refundPspId } = getProvider(provider).outbound;
  return refundPspId && calls.map((call) => refundPspId(call));
}

/** A call of a started refund, with what is known of the last time that it was sent. */
type RefundCall = RefundToStart & { readonly state: CallState };

/** The calls of a started refund, without parts that the provider has refused. */
export function refundCallsOf(transactionId: string, start: Start): readonly RefundCall[] {
  const { refund, amount, currency } = start;
  if (!refund) return [];
  const { requestId: refundRequestId, paymentPspId, parts } = refund;
  const common = { transactionId, refundRequestId, currency };
  if (!parts)
    return [{ ...common, callId: transactionId, paymentPspId, amount, state: start.call }];
  return parts.flatMap((part, index) => {
    const callId = callIdOf(transactionId, index);
    const { capturePspId, amount: own, call: state } = part;
    const call = { ...common, callId, paymentPspId: capturePspId, amount: own, state };
    return state === 'refused' ? [] : [call];
  });
}

const refused = { what: 'the refund', code: 'REFUND_FAILED' } as const;
const unknown = { call: 'unknown' } as const;
/** The worker sends it again. Contract 11.5. */
const unsent = { call: 'unsent' } as const;

/** A provider as an account reaches it, and the order that the calls are about. */
type RefundRoute = {
  readonly account: Account;
  readonly orderId: string;
  readonly provider: ProviderName;
  readonly api: ProviderApi;
};

/**
 * Uses the same id each time, so that the provider makes only one refund. `mayBeMade`: an earlier call may have reached
 * the provider. A refusal of its repeat then proves nothing, and the refund stays pending. Contract 4.16.
 */
export async function requestRefund(
  services: Services,
  { account, orderId, provider, api }: RefundRoute,
  refund: RefundToStart,
  { mayBeMade = false }: { readonly mayBeMade?: boolean } = {},
): Promise<void> {
  const { answer, result } = await getProvider(provider).outbound.startRefund(api, refund);
  // Stored before the call is recorded: a repeat that waits for the call then sees the provider's answer.
  if (result.kind === 'done') await storeAnswers(services, account, provider, result.records);
  const callResult = callResultOfStart(result, refused, services.clock(), () => unsent);
  await recordCall(services, {
    accountId: account.accountId,
    orderId,
    transactionId: refund.transactionId,
    provider,
    operation: 'start-refund',
    answer,
    outcome: result.kind,
    callResult: mayBeMade && callResult.call === 'refused' ? unknown : callResult,
    partPspIds: pspIdsOf(provider, [refund]),
  });
}

/**
 * Sends a refund call again that the provider does not list. If no earlier call reached the provider, that is stored as
 * over before the call is sent: should the process end during the call, its result counts as unknown. Contract 4.16.
 */
export async function resendRefund(services: Services, route: RefundRoute, call: RefundCall) {
  const isFirst = call.state === 'unsent' && (await claimFirstSending(services, route, call));
  await requestRefund(services, route, call, { mayBeMade: !isFirst });
}

/** False if the call was sent by somebody else meanwhile. */
async function claimFirstSending(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  { account, orderId, provider }: RefundRoute,
  { transactionId, callId }: RefundCall,
): Promise<boolean> {
  return services.database.transaction(async (tx) => {
    const before = await lockOrderState(tx, account.accountId, orderId);
    const refund = before.transactions.find((entry) => entry.transactionId === transactionId);
    if (!refund?.start) return false;
    const calls = refundCallsOf(transactionId, refund.start);
    const own = calls.find((entry) => entry.callId === callId);
    if (own?.state !== 'unsent') return false;
    const partPspIds = pspIdsOf(provider, [own]);
    const start = addResult(refund.start, { call: 'open' }, { partPspIds });
    const now = services.clock();
    const after = settle(applyStart(before, { ...refund, start }), now);
    await saveOrderState(tx, services, before, after, { now, cause: 'start-refund' });
    return true;
  });
}
