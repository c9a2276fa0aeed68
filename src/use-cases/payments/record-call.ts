/**
 * Saves the result of a call to a provider in the order's history and in the transaction that the call started. Records
 * in the provider's answer are stored and applied like webhook deliveries.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { type FailureCode, failureReason } from '../../domain/payments/failure.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { CallResult } from '../../domain/payments/start.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Outcome, Records, StartedPayment } from '../../providers/outbound.ts';
import type { FinishedCall } from '../../services/finished-call.ts';
import type { Services } from '../../services/services.ts';
import { digestOf, newDelivery } from '../inbox/new-delivery.ts';
import { storeDelivery } from '../inbox/store-delivery.ts';
import { tryTranslate } from '../inbox/translate-delivery.ts';
import { unparkDeliveries } from '../inbox/unpark-deliveries.ts';
import { recordCalls } from './record-calls.ts';

/** `more` are further calls for the same transaction. `alsoSave` runs in the same database transaction. */
export async function recordCall(
  services: Services,
  call: FinishedCall,
  more: readonly FinishedCall[] = [],
  alsoSave?: (tx: Transaction) => Promise<void>,
): Promise<void> {
  for (const each of [call, ...more]) noteCall(services, each);
  const [learned] = await recordCalls(services, [call, ...more], alsoSave);
  await unparkLearned(services, call, learned);
}

/** In a batch with other polls: there are many of them, and nobody waits for one. */
export async function recordPoll(services: Services, call: FinishedCall): Promise<void> {
  noteCall(services, call);
  await unparkLearned(services, call, await services.recordCalls(call));
}

function noteCall(services: Pick<Services, 'counters' | 'warnings'>, call: FinishedCall): void {
  services.counters.noteCall(call);
  warnOfFailure(services, call);
}

/** Webhooks that arrived before the answer may be parked for the provider's order id. */
async function unparkLearned(
  services: Pick<
    Services,
    'database' | 'batches' | 'announcer' | 'counters' | 'clock' | 'settings' | 'reportDefect'
  >,
  { accountId }: FinishedCall,
  learned: string | undefined,
): Promise<void> {
  if (learned === undefined) return;
  await unparkDeliveries(services, accountId, [learned]).catch(() => undefined);
}

/** A refused payment concerns the merchant only; refused keys and failed calls concern the operator. */
function warnOfFailure({ warnings }: Pick<Services, 'warnings'>, call: FinishedCall): void {
  const { accountId, provider, operation, outcome } = call;
  const reason = outcome === 'done' ? undefined : findReason(call);
  if (reason !== undefined)
    warnings.failedCall({ accountId, provider, operation, outcome, reason });
}

/** Never text from the provider, which may quote the request. */
function findReason({ answer, outcome }: FinishedCall): string | undefined {
  if (answer.kind !== 'answered') return answer.why;
  const { status } = answer;
  if (status === 401 || status === 403)
    return `the provider refused the account's keys with HTTP status ${status}`;
  return outcome === 'unknown'
    ? `the provider answered something we do not understand, with HTTP status ${status}`
    : undefined;
}

type StartResult = Outcome<
  Pick<StartedPayment, 'providerOrderId' | 'redirectUrl' | 'intentUrl'>
>['result'];

/**
 * Only an explicit refusal is a failure. A provider that did not answer may have accepted the call, so it is polled
 * later. A call that did not reach the provider took no effect, and `onNotSent` says what follows. Contract 4.16.
 */
export function callResultOfStart(
  result: StartResult,
  refused: { readonly what: string; readonly code: FailureCode },
  now: Date,
  onNotSent: (why: string) => CallResult,
): CallResult {
  switch (result.kind) {
    case 'done':
      return {
        call: 'taken',
        providerOrderId: result.providerOrderId,
        redirectUrl: storableUrl(result.redirectUrl),
        intentUrl: storableUrl(result.intentUrl),
      };
    case 'refused': {
      const words = `The provider refused ${refused.what}: ${result.why}.`;
      const failure = failureReason(refused.code, words);
      return { call: 'refused', failure, atMs: now.getTime() };
    }
    case 'unknown':
      return { call: 'unknown' };
    case 'not-sent':
      return onNotSent(result.why);
    default:
      return result satisfies never;
  }
}

function storableUrl(url: string | undefined): string | undefined {
  return url !== undefined && url.length <= paymentLimits.paymentUrlCharsMax ? url : undefined;
}

/** The key derives from the body, so that an equal answer counts as a repeat. */
export async function storeAnswers(
  services: Services,
  account: Account,
  provider: ProviderName,
  records: Records,
): Promise<void> {
  for (const body of records) {
    const key = `answer-${digestOf(body)}`;
    const headers = { source: 'answer' };
    const delivery = newDelivery(services, account, provider, { key, headers, body });
    await storeDelivery(services, tryTranslate(delivery), 'provider');
  }
}
