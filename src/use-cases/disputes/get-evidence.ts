/**
 * Everything about one dispute that the provider's form asks for: the order, its consumer and items, the disputed payment
 * with its refunds, what happened when, and what was sent to the shop. Contract 17.6.
 */
import { ServiceError } from '../../domain/errors.ts';
import { listEvidenceSteps, listSentEvents } from '../../domain/why/evidence.ts';
import type { Services } from '../../services/services.ts';
import { findDispute } from '../../store/disputes/dispute-lists.ts';
import { explainOrder } from '../orders/explain-order.ts';
import { getOrderPage } from '../orders/get-order-page.ts';

export type Evidence = Awaited<ReturnType<typeof getEvidence>>;

export async function getEvidence(
  services: Pick<Services, 'database' | 'batches' | 'accounts' | 'clock'>,
  accountId: string,
  disputeId: string,
  masked: boolean,
) {
  const found = await findDispute(services.database, accountId, disputeId);
  const explained = found && (await explainOrder(services, found, { masked }));
  if (!explained) throw new ServiceError('NOT_FOUND', 'The account has no such dispute.');
  const { dispute, transactionId } = found;
  const page = await getOrderPage(services, found, { only: transactionId });
  const { entries, olderUpTo, isPruned } = explained.timeline;
  return {
    account: await services.accounts.get(accountId),
    dispute,
    transactionId,
    page,
    madeAt: explained.explainedAt,
    steps: listEvidenceSteps(entries, page.transactions),
    events: listSentEvents(entries),
    /** The order has a longer life than is listed here, or it was deleted by age. */
    isCut: olderUpTo !== null || isPruned,
  };
}
