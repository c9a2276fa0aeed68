/** Everything about one dispute, in the words of the page of its order. Contract 17.6. */
import type { Evidence } from '../../use-cases/disputes/get-evidence.ts';
import { orderPageView } from './order-page.ts';
import { disputeView } from './view-parts.ts';

export type EvidenceView = ReturnType<typeof evidenceView>;

export function evidenceView(evidence: Evidence, masked: boolean) {
  const { order, payments } = orderPageView(evidence.page, masked);
  const [payment] = payments;
  return {
    shop: evidence.account.name,
    made_at: evidence.madeAt.toISOString(),
    dispute: disputeView(evidence.dispute),
    order,
    /** The disputed one. */
    payment: payment ?? null,
    timeline: evidence.steps.map(({ at, text }) => ({ at: at.toISOString(), text })),
    events: evidence.events.map(({ eventId, type, at, takenAt }) => ({
      event_id: eventId,
      event_type: type,
      at: at.toISOString(),
      taken_at: takenAt?.toISOString() ?? null,
    })),
    /** The order has a longer life than is listed here. */
    cut: evidence.isCut,
  };
}
