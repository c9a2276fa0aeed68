/**
 * Polls disputes that are not final, once a day each, so that a lost webhook does not hide how one ended. Contract 17.2.
 */
import { isDeepStrictEqual } from 'node:util';
import { disputeLimits } from '../../domain/disputes/limits.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { applyNotice, type OrderState } from '../../domain/order-state/order-state.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Records } from '../../providers/outbound.ts';
import { getProvider } from '../../providers/providers.ts';
import { findProviderApi } from '../../services/provider-apis.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import {
  claimDisputePoll,
  type DueDispute,
  listDueDisputes,
  setNextDisputePoll,
} from '../../store/disputes/disputes.ts';
import { findOrder } from '../../store/orders/orders.ts';
import { countDueDisputes } from '../../store/upkeep/backlogs.ts';
import { loadOrderState } from '../order-state/lock-order-state.ts';
import { recordPoll, storeAnswers } from '../payments/record-calls.ts';

/** Returns how many are left. */
export async function pollDisputes(services: Services, isOver: IsOver): Promise<number> {
  const { database, maintenance, clock, reportDefect } = services;
  const now = clock();
  const nextPollAt = addSeconds(now, disputeLimits.pollSeconds);
  for (const due of await listDueDisputes(maintenance, now, disputeLimits.pollsMax)) {
    if (isOver()) break;
    if (!(await claimDisputePoll(database, due, now, nextPollAt))) continue;
    const isAnswered = await pollDispute(services, due).catch((error: unknown) => {
      reportDefect(error, { disputeId: due.disputeId });
      return false;
    });
    const retryAt = addSeconds(now, disputeLimits.pollRetrySeconds);
    if (!isAnswered) await setNextDisputePoll(database, due, retryAt);
  }
  return countDueDisputes(maintenance, now);
}

async function pollDispute(services: Services, due: DueDispute): Promise<boolean> {
  const { accountId, orderId, provider, disputeId, transactionId } = due;
  const { fetchDispute } = getProvider(provider).outbound;
  const account = await services.accounts.find(accountId);
  const api = account && findProviderApi(services, account, provider);
  if (!fetchDispute || !account || !api) return false;
  const { answer, result } = await fetchDispute(api, { disputeId, now: services.clock() });
  const operation = 'fetch-dispute';
  const about = { accountId, orderId, transactionId, provider, operation } as const;
  await recordPoll(services, { ...about, answer, outcome: result.kind });
  if (result.kind !== 'done') return false;
  await storeAnswers(services, account, provider, await listNews(services, due, result.records));
  return true;
}

/** Most reads say nothing new. Storing each would add a notice to the order every day. */
async function listNews(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  { accountId, orderId, provider }: DueDispute,
  records: Records,
): Promise<Records> {
  const order = await findOrder(database, accountId, orderId);
  if (!order) return [];
  const orderState = await loadOrderState(database, order);
  const now = clock();
  return records.filter((body) => {
    const translation = getProvider(provider).translate({ headers: {}, body }, anyMerchant);
    if (translation.kind !== 'notice') return false;
    const notice = { ...translation.notice, provider, deliveryKey: 'read', receivedAt: now };
    return !isDeepStrictEqual(disputesOf(applyNotice(orderState, notice)), disputesOf(orderState));
  });
}

const anyMerchant = { expectedMerchant: null };

function disputesOf({ transactions }: OrderState) {
  return paymentsOf(transactions).map(({ disputes }) => disputes);
}
