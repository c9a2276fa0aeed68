/**
 * Sends a refund call again that the provider does not list. If no earlier call reached the provider, that is stored as
 * over before the call is sent: should the process end during the call, its result counts as unknown. Contract 4.16.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { applyStart } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import { addSeconds } from '../../domain/time.ts';
import type { ProviderApi } from '../../providers/call.ts';
import type { Services } from '../../services/services.ts';
import { lockOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { addResult } from './record-calls.ts';
import { pspIdsOf, type RefundCall, refundCallsOf, requestRefund } from './refund-calls.ts';

export async function resendRefund(
  services: Services,
  account: Account,
  orderId: string,
  api: ProviderApi,
  provider: string,
  call: RefundCall,
): Promise<void> {
  const isFirst =
    call.state === 'unsent' &&
    (await claimFirstSending(services, account.accountId, orderId, provider, call));
  const options = { mayBeMade: !isFirst };
  await requestRefund(services, account, orderId, api, provider, call, options);
}

/** False if the call was sent by somebody else meanwhile. */
async function claimFirstSending(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  accountId: string,
  orderId: string,
  provider: string,
  { transactionId, callId }: RefundCall,
): Promise<boolean> {
  const { database, clock, settings, announcer } = services;
  return database.transaction(async (tx) => {
    const before = await lockOrderState(tx, accountId, orderId);
    const refund = before.transactions.find((entry) => entry.transactionId === transactionId);
    if (!refund?.start) return false;
    const calls = refundCallsOf(transactionId, refund.start);
    const own = calls.find((entry) => entry.callId === callId);
    if (own?.state !== 'unsent') return false;
    const partPspIds = pspIdsOf(provider, [own]);
    const start = addResult(refund.start, { call: 'open' }, { partPspIds });
    const now = clock();
    const after = settle(applyStart(before, { ...refund, start }), now);
    const pollAt = addSeconds(now, settings.pollSeconds);
    await saveOrderState(tx, before, after, { now, pollAt, cause: 'start-refund', announcer });
    return true;
  });
}
